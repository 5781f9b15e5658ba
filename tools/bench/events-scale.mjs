// npm run bench:events-scale: the log, the summary, and replay on a large table, and the dispatch of a large backlog.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-events-scale.mjs');
