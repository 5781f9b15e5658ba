import { NOTIFICATION_EVENTS } from '@platform/contracts';
import { PayloadSchemasService } from '../../events/catalog/payload-schemas.service.ts';
import { hashJson } from '../../infra/runtime/json.ts';
import type { RunFailure } from '../../tasks/history/run-failures.service.ts';
import { toQuestionFact } from '../../tasks/inbox/question-fact.ts';
import { PLATFORM_EVENTS } from '../messages/platform-events.ts';
import { toFailingFact, toFailureFact } from './run-facts.ts';

interface Told {
  name: string;
  payload: Record<string, unknown>;
}

const failure: RunFailure = {
  id: 'r1',
  spaceId: 's1',
  taskId: 't1',
  taskName: 'Print',
  status: 'FAILED',
  origin: 'MANUAL',
  attempt: 1,
  error: null,
};
const error = { code: 'STEP_FAILED', message: 'No paper', retryable: false };
const run = { runId: 'r1', taskId: 't1', taskName: 'Print' };
const turn = { runId: null, taskId: null, taskName: null };
const need = { requesterId: 'u1', agent: { id: 'a1', name: 'Clerk' } };
const ofStep = { requesterId: 'u1', stepKey: 'r1:refund:1' };
const asked = (who: typeof run | typeof turn, why: typeof need | typeof ofStep | null) =>
  toQuestionFact({ id: 'q1', spaceId: 's1', message: 'Refund?', need: why, ...who }, false);

/** What is told, as its producers write it. */
const FACTS: Record<string, Told> = {
  'a run that failed': toFailureFact({ ...failure, error }),
  'a run that failed without an error': toFailureFact(failure),
  'a task that keeps failing': toFailingFact(failure, { taskId: 't1', ended: 10, failed: 6 }, new Date(0)),
  'a disabled task': {
    name: 'task.disabled',
    payload: { taskId: 't1', taskName: 'Print', reason: 'OWNER_REMOVED' },
  },
  'a step that asks': asked(run, null),
  'an approval of a step': asked(run, ofStep),
  'an approval of an agent in a run': asked(run, need),
  'an approval of a turn': asked(turn, need),
  'a silent subscription': {
    name: 'subscription.silent',
    payload: {
      subscriptionId: 'x1',
      applicationIdentifier: 'shop',
      event: 'order.created',
      taskId: 't1',
      lastAt: '2026-01-15T12:00:00.000Z',
    },
  },
  'a low balance': { name: 'balance.low', payload: { balance: -5, granted: 1_000 } },
  'an abandoned webhook': {
    name: 'webhook.failing',
    payload: { deliveryId: 'd1', jobId: 'j1', url: 'https://example.com', error: 'HTTP 500' },
  },
};

describe('what is told', () => {
  const schemas = new PayloadSchemasService();

  it.each(Object.entries(FACTS))('%s satisfies the schema of its event', (_, { name, payload }) => {
    const event = NOTIFICATION_EVENTS.find((known) => known === name);
    if (event === undefined) throw new Error(`${name} is no event of the platform`);
    const { payloadSchema } = PLATFORM_EVENTS[event];
    expect(schemas.validate(payloadSchema, hashJson(payloadSchema), payload)).toEqual([]);
  });

  it('has an example of every event', () => {
    const names = new Set(Object.values(FACTS).map(({ name }) => name));
    expect([...names].toSorted()).toEqual([...NOTIFICATION_EVENTS].toSorted());
  });
});
