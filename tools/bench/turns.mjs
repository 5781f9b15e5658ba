// npm run bench:turns: the cost that the service adds to a model's response, compared with the bare `openai` client.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-turns.mjs');
