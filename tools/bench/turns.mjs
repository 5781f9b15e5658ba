// npm run bench:turns: what the service adds to a model's answer, beside the bare `openai` client on the same work.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-turns.mjs');
