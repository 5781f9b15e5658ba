import type {
  ApplicationManifest,
  InstalledApplication,
  ManifestEvent,
  Step,
  Subscription,
  Task,
  TaskRetry,
} from '@platform/contracts';
import type { TestApp } from '../harness/app.ts';
import type { Subscribed } from './oracle.ts';

/** What the events of the fault tests carry; `n` identifies the emission. */
const ORDER: ManifestEvent = {
  name: 'order.created',
  description: 'An order was created.',
  payloadSchema: {
    type: 'object',
    properties: { n: { type: 'integer' }, kind: { type: 'string' }, amount: { type: 'number' } },
    required: ['n', 'kind', 'amount'],
  },
};

interface SubscriberOptions {
  event?: string;
  filter?: Record<string, unknown> | null;
  enabled?: boolean;
  concurrency?: number;
  /** How many runs of its only key execute at once. */
  perKey?: number;
  retry?: Partial<TaskRetry>;
  /** More input for the step of the sink. */
  input?: Record<string, unknown>;
  /** How many steps of the sink it has, each with a label of its own; default: one. */
  effects?: number;
  /** Whether it waits for a moment before each further step of the sink. */
  waits?: boolean;
  /** In place of the steps of the sink. */
  steps?: Step[];
}

export interface Subscriber extends Subscribed {
  taskId: string;
  subscriptionId: string;
  concurrency: number;
  /** Of its steps. */
  labels: string[];
  retriesInterrupted: boolean;
}

/** An installed application, and tasks of the user that are subscribed to its events. */
export class World {
  readonly subscribers: Subscriber[] = [];

  private constructor(
    readonly app: TestApp,
    readonly manifest: ApplicationManifest,
    readonly systemKey: string,
  ) {}

  /** Use `fleet.install`, which lets the referee know it. */
  static async install(app: TestApp, manifest: Partial<ApplicationManifest> = {}): Promise<World> {
    const whole = { identifier: 'shop', name: 'Shop', version: '1.0.0', events: [ORDER], ...manifest };
    const { systemKey } = await post<InstalledApplication>(app, '/api/applications', whole);
    return new World(app, whole, systemKey);
  }

  get application(): string {
    return this.manifest.identifier;
  }

  /** A task whose step leaves its effect in the sink under its label, and its subscription. */
  async subscribe(name: string, options: SubscriberOptions = {}): Promise<Subscriber> {
    const label = `${this.application}.${name}`;
    const { event = ORDER.name, filter = null, enabled = true, concurrency = 20, retry = {} } = options;
    const { effects = 1, perKey } = options;
    const labels = Array.from({ length: effects }, (_, i) => (i === 0 ? label : `${label}.${i + 1}`));
    const effect = { kind: 'tool' as const, toolId: 'sink', method: 'record' };
    const sink = (of: string, i: number) => ({
      ...effect,
      id: `effect${i}`,
      input: { label: of, ...options.input },
    });
    const pause = (i: number) => ({ id: `pause${i}`, kind: 'wait' as const, for: 'PT0.01S' });
    const withPauses = () => labels.flatMap((of, i) => (i === 0 ? [sink(of, i)] : [pause(i), sink(of, i)]));
    const steps = options.steps ?? (options.waits ? withPauses() : labels.map(sink));
    const task = await post<Task>(this.app, '/api/tasks', {
      name: label,
      type: 'EVENT',
      workflow: { steps },
      concurrency,
      ...(perKey !== undefined && { concurrencyKey: '{{trigger.event}}', perKey }),
      retry,
    });
    const subscription = await post<Subscription>(this.app, '/api/events/subscriptions', {
      applicationIdentifier: this.application,
      event,
      taskId: task.id,
      filter,
      enabled,
    });
    const subscriber: Subscriber = {
      label,
      event,
      filter,
      enabled,
      concurrency: perKey ?? concurrency,
      taskId: task.id,
      subscriptionId: subscription.id,
      labels,
      retriesInterrupted: (retry.onInterrupted ?? false) || (retry.attempts ?? 0) > 0,
    };
    this.subscribers.push(subscriber);
    return subscriber;
  }

  /** The usual subscribers: one without a filter, two with one, one that is disabled. */
  async subscribeUsual(): Promise<void> {
    await this.subscribe('all');
    await this.subscribe('rush', { filter: { kind: 'rush' } });
    await this.subscribe('large', { filter: { amount: [50, 100] } });
    await this.subscribe('off', { enabled: false });
  }

  /** A payload that the usual filters treat differently. */
  payload(random: (below: number) => number): Record<string, unknown> {
    return { kind: ['rush', 'normal', 'bulk'][random(3)], amount: [10, 50, 100][random(3)] };
  }
}

export async function post<Body>(app: TestApp, path: string, body: unknown): Promise<Body> {
  const { status, body: created, text } = await app.request<Body>('POST', path, { body });
  if (status >= 300) throw new Error(`POST ${path}: ${status} ${text}`);
  return created;
}
