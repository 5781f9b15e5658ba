// A bare route that stores the rows of an emission.
import { startBareRoute } from './bare-route.mjs';
import { answer } from './child.mjs';
import { inserter } from './events-work.mjs';

const [databaseUrl] = process.argv.slice(2);
const insert = inserter(databaseUrl, 10);

const url = await startBareRoute(async ({ payload, idempotencyKey }) => ({
  envelopeId: await insert(payload, idempotencyKey),
  status: 'PENDING',
}));

answer({ url: () => url });
