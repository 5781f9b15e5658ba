import { readdirSync, readFileSync } from 'node:fs';

/** The processes that a process has started with a program, as far as they have not ended. Linux only. */
export function childProcesses(parent: number, program: string): number[] {
  const tasks = `/proc/${parent}/task`;
  const pids = readdirSync(tasks).flatMap((task) => read(`${tasks}/${task}/children`).trim().split(' '));
  return pids
    .filter((pid) => pid !== '' && read(`/proc/${pid}/cmdline`).includes(program))
    .map(Number)
    .filter(isRunning);
}

/** Whether a process has not ended. One that nobody has waited for still has an entry. */
export function isRunning(pid: number): boolean {
  const state = /^State:\s+(\w)/m.exec(read(`/proc/${pid}/status`))?.[1];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Empty if the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
