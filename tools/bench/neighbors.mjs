// npm run bench:neighbors: what the events of a quiet space wait for while another space is noisy.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-neighbors.mjs');
