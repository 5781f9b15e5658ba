import { jest } from '@jest/globals';
import type {
  ApplicationManifest,
  EmitResponse,
  EventFilter,
  InstalledApplication,
  ReplayResponse,
  Subscription,
  Task,
} from '@platform/contracts';
import fc from 'fast-check';
import { expectedLabels, type Subscribed } from './faults/oracle.ts';
import { LIMIT_MS, scaled } from './faults/scale.ts';
import { post } from './faults/world.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { dispatchWaiting } from './harness/dispatch-waiting.ts';
import { asApplication } from './harness/applications.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

const EVENTS = ['e.one', 'e.two'] as const;
const NONE = '00000000-0000-0000-0000-000000000000';
/** How many sequences one application goes through: installing it costs as much as a sequence. */
const PER_SHOP = 20;
const FILTERS: (EventFilter | null)[] = [null, {}, { kind: 'x' }, { kind: ['y', 'z'] }, { kind: [] }];
/** The subscription that the manifest brings. */
const DEFAULT = 'default';

type Command =
  | { do: 'emit'; event: number; kind: string; key: number | null }
  | { do: 'toggle'; subscription: number }
  | { do: 'filter'; subscription: number; filter: number }
  | { do: 'replay'; envelope: number; key: number | null }
  | { do: 'uninstall' | 'install' | 'tick' };

const small = fc.nat({ max: 3 });
const maybeKey = fc.option(fc.nat({ max: 1 }));
const kind = fc.constantFrom('x', 'y', 'w');
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('emit' as const), event: fc.nat(1), kind, key: maybeKey }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('toggle' as const), subscription: small }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('filter' as const), subscription: small, filter: fc.nat(4) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('replay' as const), envelope: small, key: maybeKey }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('uninstall' as const, 'install' as const) }) },
);

/** What the service must know of an envelope. */
interface Envelope {
  id: string;
  event: string;
  payload: { kind: string };
  status: 'PENDING' | 'DISPATCHED';
  generation: number;
  matchedCount: number;
  /** `<generation> <label>`. */
  deliveries: string[];
  /** The generation that each request key was answered with. */
  replayKeys: Map<number, number>;
}

let app: TestApp;
let tasks: string[];
let shops = 0;

beforeAll(async () => {
  // It only serves: nothing is dispatched without a tick.
  app = await TestApp.start({
    env: { PLATFORM_ROLE: 'api', PLATFORM_EMISSION_LIMIT: '1000000000' },
  });
  const workflow = { steps: [{ id: 'nothing', kind: 'code', source: 'return 1' }] };
  tasks = [];
  for (const name of ['all', 'some', 'two'])
    tasks.push((await post<Task>(app, '/api/tasks', { name, type: 'EVENT', workflow })).id);
});
afterAll(() => app.close());

/** An application on its way through sequences of commands, in the service and in memory. */
class Shop {
  private envelopes: Envelope[] = [];
  private readonly keys = new Map<string, { envelope: Envelope; kind: string }>();
  private readonly subscriptions: (Subscribed & { id: string })[] = [];
  private readonly identifier = `model-${shops++}`;
  private isInstalled = true;
  private caller!: TestUser;
  /** The last envelope of the sequence before. */
  private since = NONE;

  static async open(): Promise<Shop> {
    const shop = new Shop();
    await shop.start();
    return shop;
  }

  private async start(): Promise<void> {
    await this.install(true);
    const mine: [string, number, string][] = [
      ['all', 0, EVENTS[0]],
      ['some', 1, EVENTS[0]],
      ['two', 2, EVENTS[1]],
    ];
    for (const [label, task, event] of mine) {
      const filter = label === 'some' ? { kind: 'x' } : null;
      const body = { applicationIdentifier: this.identifier, event, taskId: tasks[task], filter };
      const { id } = await post<Subscription>(app, '/api/events/subscriptions', body);
      this.subscriptions.push({ id, label, event, filter, enabled: true });
    }
    const { body } = await app.request<{ items: Subscription[] }>(
      'GET',
      `/api/events/subscriptions?applicationIdentifier=${this.identifier}`,
    );
    const id = body.items.find(({ origin }) => origin === 'APP_DEFAULT')?.id ?? '';
    this.subscriptions.push({ id, label: DEFAULT, event: EVENTS[0], filter: null, enabled: true });
  }

  async run(command: Command): Promise<void> {
    switch (command.do) {
      case 'emit':
        return this.emit(command);
      case 'toggle':
        return this.change(command.subscription, (one) => ({ enabled: !one.enabled }));
      case 'filter':
        return this.change(command.subscription, () => ({ filter: FILTERS[command.filter] ?? null }));
      case 'replay':
        return this.replay(command);
      case 'uninstall':
        return this.uninstall();
      case 'install':
        return this.isInstalled ? undefined : this.install(false);
      case 'tick':
        return this.tick();
    }
  }

  /** Compares everything that the service has stored with the model. */
  async check(): Promise<void> {
    const stored = await app.sql<Record<string, unknown>>(
      `select e.id, e.event, e.status, e.generation, e.matched_count as "matchedCount",
         (select count(*)::int from envelope_outbox o where o.envelope_id = e.id and o.generation = e.generation) as outbox,
         array(select d.generation || ' ' || d.subscription_id from delivery d where d.envelope_id = e.id
           order by 1) as deliveries,
         array(select r.generation || ' ' || r.subscription_id from run r where r.envelope_id = e.id order by 1) as runs
       from envelope e join application a on a.id = e.application_id
       where a.space_id = $1 and a.identifier = $2 and e.id > $3 order by e.id`,
      [app.admin.spaceId, this.identifier, this.since],
    );
    const ids = new Map(this.subscriptions.map(({ id, label }) => [label, id]));
    expect(stored).toEqual(
      this.envelopes.map(({ id, event, status, generation, matchedCount, deliveries }) => {
        const fired = deliveries.map((one) => one.replace(/\S+$/, (label) => ids.get(label) ?? label)).sort();
        const outbox = status === 'PENDING' ? 1 : 0;
        return { id, event, status, generation, matchedCount, outbox, deliveries: fired, runs: fired };
      }),
    );
  }

  private async emit({ event, kind, key }: Extract<Command, { do: 'emit' }>): Promise<void> {
    const name = EVENTS[event] ?? EVENTS[0];
    const body = { appIdentifier: this.identifier, event: name, payload: { kind } };
    const { status, body: response } = await app.request<EmitResponse>('POST', '/api/events/emit', {
      as: this.caller,
      body: { ...body, ...(key !== null && { idempotencyKey: `key ${key}` }) },
    });
    if (!this.isInstalled) {
      expect(status).toBe(404);
      return;
    }
    expect(status).toBe(200);
    const first = key === null ? undefined : this.keys.get(`${name} ${key}`);
    if (first !== undefined) {
      expect(response).toMatchObject({
        envelopeId: first.envelope.id,
        duplicate: true,
        samePayload: first.kind === kind,
      });
      return;
    }
    expect(response).toMatchObject({ status: 'PENDING', duplicate: false });
    const envelope: Envelope = {
      id: response.envelopeId,
      event: name,
      payload: { kind },
      status: 'PENDING',
      generation: 0,
      matchedCount: 0,
      deliveries: [],
      replayKeys: new Map<number, number>(),
    };
    this.envelopes.push(envelope);
    if (key !== null) this.keys.set(`${name} ${key}`, { envelope, kind });
  }

  private async change(
    index: number,
    decide: (one: Subscribed) => Partial<Pick<Subscribed, 'enabled' | 'filter'>>,
  ): Promise<void> {
    const one = this.subscriptions[index];
    // A default subscription of an uninstalled application is not there to be changed.
    if (one === undefined || (one.label === DEFAULT && !this.isInstalled)) return;
    const body = decide(one);
    const { status, text } = await app.request('PATCH', `/api/events/subscriptions/${one.id}`, { body });
    expect([status, text]).toEqual([200, expect.anything()]);
    Object.assign(one, body);
  }

  private async replay({ envelope: index, key }: Extract<Command, { do: 'replay' }>): Promise<void> {
    const envelope = this.envelopes.at(-1 - index);
    if (envelope === undefined) return;
    const { status, body } = await app.request<ReplayResponse>(
      'POST',
      `/api/events/envelopes/${envelope.id}/replay`,
      { body: key === null ? {} : { requestKey: `request ${key}` } },
    );
    const known = key === null ? undefined : envelope.replayKeys.get(key);
    if (known === undefined && envelope.status !== 'PENDING') {
      if (!this.isInstalled) {
        expect(status).toBe(409);
        return;
      }
      envelope.status = 'PENDING';
      envelope.generation += 1;
      envelope.matchedCount = 0;
    }
    expect([status, body]).toEqual([
      202,
      { envelopeId: envelope.id, generation: known ?? envelope.generation },
    ]);
    if (key !== null && known === undefined) envelope.replayKeys.set(key, envelope.generation);
  }

  private async install(isFirst: boolean): Promise<void> {
    const workflow = { steps: [{ id: 'nothing', kind: 'code' as const, source: 'return 1' }] };
    const manifest: ApplicationManifest = {
      identifier: this.identifier,
      name: 'Model',
      version: '1.0.0',
      events: EVENTS.map((name) => ({ name, description: name, payloadSchema: { type: 'object' } })),
      tasks: [{ key: 'own', name: 'Own', type: 'EVENT', workflow }],
      subscriptions: [{ key: DEFAULT, event: EVENTS[0], taskKey: 'own' }],
    };
    const { systemKey } = await post<InstalledApplication>(app, '/api/applications', manifest);
    this.caller = asApplication(app.admin, systemKey);
    if (!isFirst) this.isInstalled = true;
  }

  private async uninstall(): Promise<void> {
    if (!this.isInstalled) return;
    const { status } = await app.request('DELETE', `/api/applications/${this.identifier}`);
    expect(status).toBe(204);
    this.isInstalled = false;
  }

  /** Dispatches what waits, also of earlier sequences, of which nothing does. */
  private async tick(): Promise<void> {
    await dispatchWaiting(app);
    const present = this.subscriptions.filter(({ label }) => label !== DEFAULT || this.isInstalled);
    for (const envelope of this.envelopes.filter(({ status }) => status === 'PENDING')) {
      const labels = expectedLabels(present, { n: 1, ...envelope });
      envelope.status = 'DISPATCHED';
      envelope.matchedCount = labels.length;
      envelope.deliveries.push(...labels.map((label) => `${envelope.generation} ${label}`));
    }
  }

  /** Leaves no envelope to the next sequence; keys and subscriptions stay as they are. */
  async end(): Promise<void> {
    await this.tick();
    await this.check();
    this.envelopes = [];
    this.since = await newestEnvelope();
  }
}

async function newestEnvelope(): Promise<string> {
  const [row] = await app.sql<{ id: string }>('select id from envelope order by id desc limit 1');
  return row?.id ?? NONE;
}

describe('the event bus and its model', () => {
  verifies(
    ['event.guarantee.single', 'event.guarantee.complete', 'event.guarantee.key'],
    'F39: after any sequence of emissions, duplicates, switches, filters, replays, and uninstalls they are the same',
    async () => {
      const numRuns = scaled('FAULT_SEQUENCES', { quick: 150, slow: 500, faults: 5_000 });
      let commands = 0;
      let shop: Shop | null = null;
      let left = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), async (sequence) => {
          // After a failure, shrinking starts with a new one.
          const current = left > 0 && shop !== null ? shop : await Shop.open();
          left = left > 0 ? left - 1 : PER_SHOP;
          shop = null;
          for (const one of sequence) await current.run(one);
          await current.check();
          await current.end();
          shop = current;
          commands += sequence.length;
        }),
        { numRuns, interruptAfterTimeLimit: 3_000_000 },
      );
      console.info(`F39: ${numRuns} sequences with ${commands} commands`);
    },
  );
});
