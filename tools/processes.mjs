// Children and signals of the two commands. Runs on Node 20 without packages.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SAME_PRESS_MS = 500;

/** The exit code of an ended process in the shell's way: its own, or 128 + the signal that ended it. */
export const exitCode = (code, signal) => code ?? 128 + constants.signals[signal];

/**
 * Calls `first` at the first request to stop and `again` at each later one.
 * One Ctrl-C arrives several times, from the terminal and from npm: within half a second it is the same one.
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
  // A closed terminal takes the output away as well; what is left to do is still done.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
}

/**
 * Runs a program to its end, hands it every request to stop (unless `shielded`), and resolves to its exit code.
 * `stopped` says that such a request came, so that the caller does not go on to the next program.
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
