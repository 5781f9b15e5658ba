import type {
  BulkReplay,
  Envelope,
  EnvelopeStatus,
  Page,
  ReplayPreview,
  Subscription,
  Task,
  TaskType,
} from '@platform/contracts';
import { expect } from '@jest/globals';
import type { TestApp, TestUser } from './app.ts';
import { eventually } from './eventually.ts';

/** Waits until nothing is being dispatched: a dispatch locks the tables of events in another order than `truncate`. */
export function dispatchesEnded(app: TestApp): Promise<void> {
  return eventually(async () => expect(await app.sql('select from envelope_outbox limit 1')).toEqual([]));
}

/** A task whose one step does nothing. */
export async function createTask(
  app: TestApp,
  type: TaskType = 'EVENT',
  as: TestUser = app.admin,
): Promise<Task> {
  const workflow = { steps: [{ id: 'noop', kind: 'code', source: 'return null;' }] };
  return created(app, '/api/tasks', { name: `A task of type ${type}`, type, workflow }, as);
}

/** Subscribes a task, by default a new one, to an event of the shop. */
export async function subscribe(
  app: TestApp,
  body: Partial<Subscription> = {},
  as: TestUser = app.admin,
): Promise<Subscription> {
  const taskId = body.taskId ?? (await createTask(app, 'EVENT', as)).id;
  const reference = { applicationIdentifier: 'shop', event: 'order.created' };
  return created(app, '/api/events/subscriptions', { ...reference, ...body, taskId }, as);
}

async function created<Body>(
  app: TestApp,
  path: string,
  body: unknown,
  as: TestUser,
  status = 201,
): Promise<Body> {
  const answer = await app.request<Body>('POST', path, { as, body });
  if (answer.status !== status) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

interface RecordedEnvelope {
  applicationId: string;
  event?: string;
  payload?: Record<string, unknown>;
  status?: EnvelopeStatus;
  /** How long ago it was emitted. */
  agoMs?: number;
}

/** Stores an envelope as if it had been emitted and handled. Returns its id. */
export async function recordEnvelope(app: TestApp, envelope: RecordedEnvelope): Promise<string> {
  const { applicationId, event = 'order.created', payload = { total: 5 }, status = 'DISPATCHED' } = envelope;
  // At the beginning of a month, an hour ago was in the last one.
  if (envelope.agoMs !== undefined)
    await app.sql(
      `select ensure_partition('envelope', clock_timestamp() - $1::float8 * interval '1 millisecond')`,
      [envelope.agoMs],
    );
  const [row] = await app.sql<{ id: string }>(
    // Like uuid_v7(), but all digits of the time come from one reading of the clock: ids have the order of the times.
    `with made as (
       select clock_timestamp() - $6::float8 * interval '1 millisecond' as at
     ), timed as (
       select at, lpad(to_hex((extract(epoch from at) * 1000 * 4096)::bigint), 15, '0') as digits from made
     ), identified as (
       select at, (overlay(digits placing '7' from 13 for 0) || right(gen_random_uuid()::text, 17))::uuid as id from timed
     )
     insert into envelope (id, space_id, application_id, event, payload, status, source, emitted_at, root_id, path)
     select id, $1, $2, $3, $4, $5, 'app', at, id, $7::text[] from identified returning id`,
    [
      app.admin.spaceId,
      applicationId,
      event,
      JSON.stringify(payload),
      status,
      envelope.agoMs ?? 0,
      [`${applicationId}/${event}`],
    ],
  );
  if (row === undefined) throw new Error('The envelope was not stored');
  return row.id;
}

/** The id of an application of the first space, by its identifier. */
export async function applicationIdOf(app: TestApp, identifier = 'shop'): Promise<string> {
  const [row] = await app.sql<{ id: string }>(
    'select id from application where space_id = $1 and identifier = $2',
    [app.admin.spaceId, identifier],
  );
  if (row === undefined) throw new Error(`${identifier} is not installed`);
  return row.id;
}

/** The ids of all envelopes with failed deliveries, newest first, page by page. */
export async function listFailed(app: TestApp, query = ''): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/api/events/envelopes?outcome=FAILED${query}${cursor === null ? '' : `&cursor=${cursor}`}`;
    const { body } = await app.request<Page<Envelope>>('GET', path);
    ids.push(...body.items.map(({ id }) => id));
    cursor = body.nextCursor;
  } while (cursor !== null);
  return ids;
}

const ALL = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
const FAILED = { ...ALL, only: 'FAILED_DELIVERIES' };

/** How many envelopes with failed deliveries the preview of a bulk replay counts. */
export async function countFailed(app: TestApp): Promise<number> {
  const { body } = await app.request<ReplayPreview>('POST', '/api/events/replays/preview', { body: FAILED });
  return body.count;
}

/** A bulk replay, by default of all failed deliveries, once it has finished. */
export async function bulkReplayed(app: TestApp, query: object = FAILED): Promise<BulkReplay> {
  const body = { ...ALL, ...query, perSecond: 1_000 };
  const { id } = await created<BulkReplay>(app, '/api/events/replays', body, app.admin, 202);
  return eventually(async () => {
    const replay = await app.request<BulkReplay>('GET', `/api/events/replays/${id}`);
    expect(replay.body.status).not.toBe('RUNNING');
    return replay.body;
  });
}
