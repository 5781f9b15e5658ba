// npm run dev: runs the API, restarting on every change, and the development server of the console.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openEnvironment } from './environment.mjs';
import { onStop } from './processes.mjs';

let children = [];
const stopAll = (signal) => {
  for (const child of children) if (child.exitCode === null) process.kill(-child.pid, signal);
};
let stopping = false;
onStop(
  () => {
    stopping = true;
    stopAll('SIGTERM');
  },
  () => stopAll('SIGKILL'),
);

let lost = false;
function onLost(error) {
  console.error(error.message);
  lost = true;
  stopAll('SIGTERM');
}

const { env, close } = await openEnvironment(onLost).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
if (!stopping && !lost) {
  const options = { env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] };
  const api = [
    '--watch',
    '--conditions=platform-source',
    '--enable-source-maps',
    '--import',
    './tools/swc-hook.mjs',
  ];
  children = [
    spawn(process.execPath, [...api, 'apps/api/src/main.ts'], options),
    spawn('vite', { ...options, cwd: 'apps/console' }),
  ];
  const ends = children.map((child) => once(child, 'exit'));
  await Promise.race(ends);
  stopAll('SIGTERM');
  await Promise.all(ends);
}
await close();
process.exit();
