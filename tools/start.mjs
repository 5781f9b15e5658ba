// npm start: builds if necessary, runs PostgreSQL unless DATABASE_URL is set, runs the service, and stops both in order.
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
  // The process group of the service, including its child processes.
  () => service && process.kill(-service.pid, 'SIGKILL'),
);

let lost = false;
/** Without its database, the service could only respond with 503. */
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

/** Runs the service in a session of its own, so that Ctrl-C reaches it only once, while the database is still running. */
async function serve() {
  const args = ['--enable-source-maps', '--import', './tools/end-with-parent.mjs', 'apps/api/dist/main.js'];
  service = spawn(process.execPath, args, {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return exitCode(...(await once(service, 'exit')));
}
