// npm run bench:knowledge: what the search of knowledge finds, beside PostgreSQL's text search and MiniSearch, and how long it takes.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-knowledge.mjs');
