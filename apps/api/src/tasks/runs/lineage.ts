import { conflict } from '../../infra/errors/app-error.ts';

/** How long a chain of events and of runs that start runs may get. A first emission has depth 0. */
export const MAX_DEPTH = 8;

/**
 * Where a run comes from. All members are null for a run that neither an event nor another run has caused. A run that a
 * person or a schedule starts has no envelope of its own; the others are those of the run whose call started it.
 */
export interface Lineage {
  envelopeId: string | null;
  rootId: string | null;
  depth: number | null;
  /** The events of the chain, and the tasks whose runs have started the next run by a call. */
  path: string[] | null;
}

/** The run that makes a call. */
export interface CallingRun extends Lineage {
  taskId: string;
}

/** The place of what a call starts in the chain of the run that makes it. */
export interface Chain {
  depth: number;
  path: string[];
}

/** What a run of a task has of the run that starts it. Null: a person or a schedule starts it. Throws as `extendChain` does. */
export function extendToTask(
  cause: CallingRun | null,
  taskId: string,
): (Chain & Pick<Lineage, 'rootId'>) | null {
  if (cause === null) return null;
  return { rootId: cause.rootId, ...extendChain(cause, taskEntry(taskId), `Task ${taskId}`) };
}

/** How a path names a task. */
function taskEntry(taskId: string): string {
  return `task/${taskId}`;
}

/**
 * Places what a call of a run starts one level below the run. Throws CONFLICT if the chain of the run contains `entry`
 * already, or is too long: without that, a task that starts itself would never end.
 */
export function extendChain(run: CallingRun, entry: string, subject: string): Chain {
  const path = [...(run.path ?? []), taskEntry(run.taskId)];
  const depth = (run.depth ?? 0) + 1;
  if (path.includes(entry))
    throw conflict(`${subject} is part of the chain that led to this call: it would repeat itself`);
  if (depth > MAX_DEPTH)
    throw conflict(`${subject} would be more than ${MAX_DEPTH} levels below the start of its chain`);
  return { depth, path };
}
