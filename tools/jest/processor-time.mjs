// With TEST_REPORT=1, each test file adds a line to reports/processor-time.jsonl of its package: the seconds of processor time
// of its worker, and of the processes that it started and that have ended. Linux only.
import { appendFileSync, readFileSync } from 'node:fs';

const TICKS_PER_S = 100;
const before = new Map();

/** The seconds that this process has used, and those of the children it has waited for. */
function used() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [user, system, childUser, childSystem] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return { own: (user + system) / TICKS_PER_S, children: (childUser + childSystem) / TICKS_PER_S };
}

export function fileBegins(file) {
  if (process.env.TEST_REPORT === '1') before.set(file, used());
}

export function fileEnds(file) {
  const begin = before.get(file);
  if (begin === undefined) return;
  const end = used();
  const line = { file, own: end.own - begin.own, children: end.children - begin.children };
  appendFileSync('reports/processor-time.jsonl', `${JSON.stringify(line)}\n`);
}
