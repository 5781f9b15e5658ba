import { fork, type ChildProcess, type SerializationType } from 'node:child_process';
import { setPriority } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Lower than that of the service, which has 0: a third of its share of a processor that both want. */
const PRIORITY = 5;

interface Confinement {
  /** The first argument of the program, as JSON. */
  settings: object;
  /** The files that it can read, as `--allow-fs-read` takes them. */
  readable: readonly string[];
  /** Of its main thread. */
  heapMb: number;
  /** Of messages: `advanced` can be of bytes, too. */
  serialization: SerializationType;
}

/**
 * Starts a program in a process that gets messages only: it has no environment, can write nothing, and can start no process.
 * `name` is the program beside the module with the URL, and TypeScript exactly if that is.
 */
export function forkConfined(moduleUrl: string, name: string, confinement: Confinement): ChildProcess {
  const { settings, readable, heapMb, serialization } = confinement;
  const module = fileURLToPath(moduleUrl);
  const child = fork(join(dirname(module), `${name}${extname(module)}`), [JSON.stringify(settings)], {
    env: {},
    execArgv: [
      '--permission',
      '--allow-worker',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${heapMb}`,
    ],
    serialization,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  lowerPriority(child.pid);
  return child;
}

/** On a busy machine, the service itself comes first: what uses much processor time must not delay its requests. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, PRIORITY);
  } catch {
    // It has ended already, or the system has no priorities.
  }
}
