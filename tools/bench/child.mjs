// Child processes with functions that the parent can call. A child ends with its parent, even if that is killed.
import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Runs a script as a process that answers calls with `answer()`. `onLine` receives each line of its output. */
export class Child {
  #calls = new Map();
  #count = 0;

  constructor(script, { args = [], onLine = () => {}, ...options } = {}) {
    this.process = fork(script, args, {
      ...options,
      // Only the parent handles Ctrl-C, and stops all children.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let rest = '';
    this.process.stdout.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      lines.forEach(onLine);
    });
    this.process.on('message', ({ id, error, result }) => {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (error) call.reject(new Error(error));
      else call.resolve(result);
    });
    this.process.once('exit', (code, signal) => {
      for (const call of this.#calls.values())
        call.reject(new Error(`${script} exited with ${code ?? signal}`));
    });
  }

  call(name, ...args) {
    const id = this.#count++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.process.send({ id, name, args }, (error) => error && reject(error));
    });
  }

  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGKILL');
    await once(this.process, 'exit');
  }
}

/** In a child: answers calls of the parent with these functions. Every child also has `usage`. */
export function answer(functions) {
  const all = { usage, ...functions };
  process.on('message', async ({ id, name, args }) => {
    try {
      process.send({ id, result: await all[name](...args) });
    } catch (error) {
      process.send({ id, error: error.stack });
    }
  });
  process.once('disconnect', () => process.exit(1));
}

function usage() {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, rss: process.memoryUsage.rss() };
}
