// npm run bench:mcp: what a tools/call costs through the service, next to fastmcp as a proxy and the server alone.
import { launch } from './launch.mjs';

await launch(import.meta.filename, './measure-mcp.mjs');
