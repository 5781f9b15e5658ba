// Child processes and signals. Runs on Node.js 20 without packages.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SAME_PRESS_MS = 500;

/** Returns the exit code of a process as a shell does: its own, or 128 + the number of the signal that ended it. */
export const exitCode = (code, signal) => code ?? 128 + constants.signals[signal];

/**
 * Calls `first` on the first request to stop and `again` on each later one. Ctrl-C can arrive several times, from the
 * terminal and from npm; requests within half a second count as one.
 */
export function onStop(first, again) {
  let since;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      const now = performance.now();
      if (since === undefined) {
        since = now;
        first(signal);
      } else if (now - since > SAME_PRESS_MS) again(signal);
    });
  }
  // If the terminal was closed, output fails, but the shutdown must continue.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
}

/**
 * Runs a program and returns its exit code. Forwards requests to stop, unless `shielded`. `stopped` is true if there was
 * such a request, so that the caller does not continue with the next program.
 */
export function run(program, args, { shielded = false, ...options } = {}) {
  const child = spawn(program, args, { stdio: 'inherit', ...options });
  let stopped = false;
  const forward = (signal) => {
    if (shielded) return;
    stopped = true;
    child.kill(signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const name of STOP_SIGNALS) process.off(name, forward);
      resolve({ code: exitCode(code, signal), stopped, output: Buffer.concat(output).toString() });
    });
  });
}
