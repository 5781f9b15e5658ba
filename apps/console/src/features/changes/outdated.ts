import type { ChangeEvent, ChangeKind } from '@platform/contracts';
import type { Query, QueryKey } from '@tanstack/react-query';
import { keys } from '../../api.ts';

/** The queries that show a kind: a list begins with one of the keys, and so does an entry, which has its id in its key. */
const SHOWN_BY: Record<ChangeKind, readonly QueryKey[]> = {
  agent: [keys.agents],
  'bulk-replay': [keys.bulkReplays],
  'bulk-run-action': [keys.bulkRunActions],
  document: [keys.knowledge],
  embedding: [keys.knowledgeSettings],
  envelope: [keys.envelopes],
  job: [keys.jobs],
  notification: [keys.notificationDeliveries],
  question: [keys.inbox],
  // An envelope shows what became of its runs.
  run: [keys.runs, keys.envelopes],
  source: [keys.knowledgeSources, keys.knowledgeSource('').slice(0, -1)],
  subscription: [keys.subscriptions],
  task: [keys.tasks],
  tool: [keys.tools],
  turn: [['turns']],
  'webhook-delivery': [keys.webhookDeliveries],
};

/** What changes by itself: while there is no stream, it is loaded again from time to time. */
const LIVELY: readonly ChangeKind[] = [
  'run',
  'envelope',
  'job',
  'turn',
  'question',
  'document',
  'source',
  'embedding',
  'bulk-replay',
  'bulk-run-action',
  'notification',
  'webhook-delivery',
];

export const ANY_LIVELY: readonly ChangeEvent[] = LIVELY.map((kind) => ({ kind, id: null, status: null }));

/** Whether what a query has loaded may be outdated by a change. */
export function isOutdated({ queryKey }: Pick<Query, 'queryKey'>, event: ChangeEvent): boolean {
  if (event.kind === 'reset') return queryKey[0] !== keys.session[0];
  const { kind, id } = event;
  const root = SHOWN_BY[kind].find((key) => startsWith(queryKey, key));
  if (root === undefined) return false;
  const isEntry = queryKey[root.length] === 'one';
  // The entry of another kind shows what belongs to it.
  return !isEntry || id === null || root !== SHOWN_BY[kind][0] || queryKey.includes(id);
}

/** Whether the stream tells when what a query has loaded is outdated. */
export function isTold({ queryKey }: Pick<Query, 'queryKey'>): boolean {
  return Object.values(SHOWN_BY).some((shown) => shown.some((key) => startsWith(queryKey, key)));
}

function startsWith(key: QueryKey, start: QueryKey): boolean {
  return start.every((part, i) => key[i] === part);
}
