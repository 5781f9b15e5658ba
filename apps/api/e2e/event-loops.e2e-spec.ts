import type { ApplicationManifest, InstalledApplication, ManifestEvent } from '@platform/contracts';
import { CAUSATION_HEADER, CausationTokens } from '../src/auth/credentials/causation.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { asApplication } from './harness/applications.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** Which events each event causes, through one task per event that emits them. */
type Graph = Record<string, { emits: string[]; recursionLimit?: number }>;

let installed = 0;

/** Installs an application in which every event runs a task that emits others. Returns its identifier and system key. */
async function install(graph: Graph, user: TestUser = app.admin) {
  const identifier = `loop-${installed++}`;
  const events = Object.entries(graph).map(([name, { recursionLimit }]): ManifestEvent => ({
    name,
    description: 'Part of a loop.',
    payloadSchema: { type: 'object' },
    ...(recursionLimit !== undefined && { recursionLimit }),
  }));
  const causing = Object.entries(graph).filter(([, { emits }]) => emits.length > 0);
  const manifest: ApplicationManifest = {
    identifier,
    name: 'Loop',
    version: '1.0.0',
    events,
    tasks: causing.map(([name, { emits }]) => ({
      key: keyOf(name),
      name,
      type: 'EVENT',
      workflow: {
        steps: emits.map((event, i) => ({
          id: `emit_${i}`,
          kind: 'emit' as const,
          applicationIdentifier: identifier,
          event,
          payload: { from: '{{trigger.event}}' },
        })),
      },
    })),
    subscriptions: causing.map(([event]) => ({ key: keyOf(event), event, taskKey: keyOf(event) })),
  };
  const { status, body, text } = await app.request<InstalledApplication>('POST', '/api/applications', {
    as: user,
    body: manifest,
  });
  if (status !== 201) throw new Error(text);
  return { identifier, caller: asApplication(user, body.systemKey) };
}

const keyOf = (event: string) => event.replaceAll('.', '-');

interface Emitter {
  identifier: string;
  caller: TestUser;
}

async function emit({ identifier, caller }: Emitter, event: string, headers: Record<string, string> = {}) {
  const body = { appIdentifier: identifier, event, payload: {} };
  const {
    status,
    body: emitted,
    text,
  } = await app.request<{ envelopeId: string; status: string }>('POST', '/api/events/emit', {
    as: caller,
    body,
    headers,
  });
  if (status !== 200) throw new Error(text);
  return emitted;
}

interface Outcome {
  runs: number;
  /** Such as `a.x DISPATCHED 0`: event, status or reason, depth. */
  envelopes: string[];
}

/** What a first emission has caused, once nothing waits any more. */
async function outcomeOf(rootId: string): Promise<Outcome> {
  await eventually(async () => {
    const [left] = await app.sql<{ count: number }>(
      `select (select count(*) from envelope_outbox)::int + (select count(*) from run_queue)::int as count`,
    );
    expect(left?.count).toBe(0);
  });
  const envelopes = await app.sql<{ line: string }>(
    `select event || ' ' || coalesce(status_reason, status) || ' ' || depth as line
     from envelope where root_id = $1 order by depth, event, id`,
    [rootId],
  );
  const runs = await app.sql<{ status: string }>('select status from run where root_id = $1', [rootId]);
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
  return { runs: runs.length, envelopes: envelopes.map(({ line }) => line) };
}

describe('loops', () => {
  verifies('event.loop', 'F24: A → A stops at the first recurrence', async () => {
    const loop = await install({ 'a.x': { emits: ['a.x'] } });
    const { envelopeId } = await emit(loop, 'a.x');
    expect(await outcomeOf(envelopeId)).toEqual({
      runs: 1,
      envelopes: ['a.x DISPATCHED 0', 'a.x SAME_EVENT_LOOP 1'],
    });
  });

  verifies('event.loop', 'F24: an event with a recursion limit of n runs n times', async () => {
    const loop = await install({ 'a.x': { emits: ['a.x'], recursionLimit: 4 } });
    const { envelopeId } = await emit(loop, 'a.x');
    expect(await outcomeOf(envelopeId)).toEqual({
      runs: 4,
      envelopes: [...[0, 1, 2, 3].map((depth) => `a.x DISPATCHED ${depth}`), 'a.x SAME_EVENT_LOOP 4'],
    });
  });

  verifies('event.loop', 'F24: A → B → A, in three spaces at the same time', async () => {
    const users = [app.admin, app.outsider, await app.addUser('ADMIN', null)];
    const loops = await Promise.all(
      users.map((user) => install({ 'a.x': { emits: ['b.x'] }, 'b.x': { emits: ['a.x'] } }, user)),
    );
    const emitted = await Promise.all(loops.map((loop) => emit(loop, 'a.x')));
    for (const { envelopeId } of emitted)
      expect(await outcomeOf(envelopeId)).toEqual({
        runs: 2,
        envelopes: ['a.x DISPATCHED 0', 'b.x DISPATCHED 1', 'a.x SAME_EVENT_LOOP 2'],
      });
  });

  verifies('event.loop', 'F24: A → {B, C} → A: each branch stops by itself', async () => {
    const loop = await install({
      'a.x': { emits: ['b.x', 'c.x'] },
      'b.x': { emits: ['a.x'] },
      'c.x': { emits: ['a.x'] },
    });
    const { envelopeId } = await emit(loop, 'a.x');
    expect(await outcomeOf(envelopeId)).toEqual({
      runs: 3,
      envelopes: [
        'a.x DISPATCHED 0',
        'b.x DISPATCHED 1',
        'c.x DISPATCHED 1',
        'a.x SAME_EVENT_LOOP 2',
        'a.x SAME_EVENT_LOOP 2',
      ],
    });
  });

  verifies('event.loop', 'F24: a chain of different events ends at depth 8', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `e.n${String(i).padStart(2, '0')}`);
    const loop = await install(
      Object.fromEntries(names.map((name, i) => [name, { emits: names.slice(i + 1, i + 2) }])),
    );
    const { envelopeId } = await emit(loop, names[0] ?? '');
    const { runs, envelopes } = await outcomeOf(envelopeId);
    expect(runs).toBe(9);
    expect(envelopes).toEqual(
      names.slice(0, 10).map((name, depth) => `${name} ${depth < 9 ? 'DISPATCHED' : 'DEPTH_LIMIT'} ${depth}`),
    );
  });

  verifies(
    'event.loop',
    'F24: two events that double at every depth: as many runs as the paths allow',
    async () => {
      // Every path visits each of three events once: 1 + 2 + 2 runs, and the leaves are skipped.
      const loop = await install({
        'a.x': { emits: ['b.x', 'c.x'] },
        'b.x': { emits: ['a.x', 'c.x'] },
        'c.x': { emits: ['a.x', 'b.x'] },
      });
      const { envelopeId } = await emit(loop, 'a.x');
      const { runs, envelopes } = await outcomeOf(envelopeId);
      expect(runs).toBe(5);
      expect(envelopes.filter((line) => line.includes('SAME_EVENT_LOOP'))).toHaveLength(6);
    },
  );

  verifies(
    'event.loop',
    'F24: through the public API: an event with the header of a run belongs to its chain; a forged or foreign header means nothing',
    async () => {
      const loop = await install({ 'a.x': { emits: ['c.x'] }, 'b.x': { emits: [] }, 'c.x': { emits: [] } });
      const { envelopeId } = await emit(loop, 'a.x');
      await outcomeOf(envelopeId);
      const [run] = await app.sql<{ id: string; spaceId: string }>(
        'select id, space_id as "spaceId" from run where envelope_id = $1',
        [envelopeId],
      );
      if (run === undefined) throw new Error('No run');
      const sign = (spaceId: string) => app.get(CausationTokens).sign({ runId: run.id, spaceId });
      const header = await sign(run.spaceId);
      const again = await emit(loop, 'a.x', { [CAUSATION_HEADER]: header });
      expect(again.status).toBe('SKIPPED');
      const other = await emit(loop, 'b.x', { [CAUSATION_HEADER]: header });
      expect(other.status).toBe('PENDING');
      expect((await outcomeOf(envelopeId)).envelopes).toEqual([
        'a.x DISPATCHED 0',
        'a.x SAME_EVENT_LOOP 1',
        'b.x DISPATCHED 1',
        'c.x DISPATCHED 1',
      ]);
      const [head, claims, signature = ''] = header.split('.');
      const forged = [head, claims, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join(
        '.',
      );
      for (const value of [forged, await sign(app.outsider.spaceId), run.id, 'x'.repeat(5_000)]) {
        const first = await emit(loop, 'a.x', { [CAUSATION_HEADER]: value });
        expect(first.status).toBe('PENDING');
        expect((await outcomeOf(first.envelopeId)).envelopes).toEqual([
          'a.x DISPATCHED 0',
          'c.x DISPATCHED 1',
        ]);
      }
    },
  );
});
