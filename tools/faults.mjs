// npm run test:faults [-- pattern …]: injects faults into processes, PostgreSQL, and Redis on a large scale. Takes about half
// an hour; `npm test` runs the most important of them on a small scale.
import { REDIS, findOrInstall } from './external.mjs';
import { run } from './processes.mjs';

const { path, reason } = await findOrInstall(REDIS);
const redis = path ? { REDIS_SERVER_PATH: path } : { PLATFORM_SKIP_REDIS: reason };
const { code } = await run(
  'npm',
  ['run', 'test:faults', '-w', '@platform/api', '--', ...process.argv.slice(2)],
  { env: { ...process.env, ...redis, FAULTS: 'full' }, stdio: ['ignore', 'inherit', 'inherit'] },
);
process.exit(code);
