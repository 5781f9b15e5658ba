import { notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';

/** Work that a call has started. It can be named by whoever may see the work, so it is no secret. */
export type Handle = { kind: 'turn'; agentId: string; turnId: string } | { kind: 'run'; runId: string };

export function formatHandle(handle: Handle): string {
  return handle.kind === 'run' ? `run:${handle.runId}` : `turn:${handle.agentId}:${handle.turnId}`;
}

/** Throws NOT_FOUND for a text that names no work. */
export function parseHandle(text: unknown): Handle {
  const [kind, first = '', second = '', ...rest] = typeof text === 'string' ? text.split(':') : [];
  if (rest.length === 0 && isUuid(first)) {
    if (kind === 'run' && second === '') return { kind, runId: first };
    if (kind === 'turn' && isUuid(second)) return { kind, agentId: first, turnId: second };
  }
  throw notFound('handle must be one that a call has returned');
}
