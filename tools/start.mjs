// npm start: builds if need be, keeps a PostgreSQL unless DATABASE_URL names one, runs the service, and ends both in order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ensureBuilt } from './build.mjs';
import { openEnvironment } from './environment.mjs';
import { exitCode, onStop } from './processes.mjs';

if (!(await ensureBuilt())) process.exit(1);

let stopping = false;
let service;
onStop(
  () => {
    stopping = true;
    service?.kill('SIGTERM');
  },
  // The whole group, with whatever the service has started.
  () => service && process.kill(-service.pid, 'SIGKILL'),
);

let lost = false;
/** Without its database the service would tell everybody to come back later, for ever. */
function onLost(error) {
  console.error(error.message);
  lost = true;
  service?.kill('SIGTERM');
}

const { env, close } = await openEnvironment(onLost).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
process.exitCode = stopping ? 130 : lost ? 1 : await serve();
if (lost) process.exitCode ||= 1;
await close().catch((error) => {
  console.error(error.message);
  process.exitCode ||= 1;
});
process.exit();

/** In a session of its own: Ctrl-C reaches it once, by us, and it drains while the database is still there. */
async function serve() {
  const args = ['--enable-source-maps', '--import', './tools/end-with-parent.mjs', 'apps/api/dist/main.js'];
  service = spawn(process.execPath, args, {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return exitCode(...(await once(service, 'exit')));
}
