// npm run bench:relay: what the relay costs, beside the gateway of Portkey and the model's server without either.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-relay.mjs');
