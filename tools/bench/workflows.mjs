// npm run bench:workflows: a durable workflow of three steps, compared with DBOS, OpenWorkflow, and Restate.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-workflows.mjs');
