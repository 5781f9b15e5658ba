// npm run bench:relay: the cost of the relay, compared with Portkey's gateway and with the model server alone.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-relay.mjs');
