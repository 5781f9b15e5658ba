// A Redis without files, for as long as the benchmark.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { REDIS, findOrInstall } from '../external.mjs';
import { cleanUp } from './bench.mjs';
import { freePort } from './service.mjs';

/** Returns its address. */
export async function startRedis() {
  const { path, reason } = await findOrInstall(REDIS);
  if (path === undefined) throw new Error(reason);
  const port = await freePort();
  const options = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn(path, options.map(String), { stdio: 'ignore' });
  cleanUp(() => server.kill('SIGKILL'));
  await once(server, 'spawn');
  return `redis://127.0.0.1:${port}`;
}
