// npm run bench:events: what the event bus costs, compared with the bare insert, a bare route, DBOS, graphile-worker, pg-boss, and Bull.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-events.mjs');
