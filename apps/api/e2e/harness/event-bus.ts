import type {
  EmitResponse,
  EnvelopeDetail,
  EventFilter,
  Page,
  Run,
  Subscription,
  Task,
  Workflow,
} from '@platform/contracts';
import type { Answer, TestApp, TestUser } from './app.ts';
import { eventually } from './eventually.ts';

/** Calls of the event bus, as an admin of a space and as its application. */
export class EventBus {
  constructor(
    private readonly app: TestApp,
    readonly admin: TestUser,
    /** The application: the admin with its system key. */
    readonly application: TestUser,
    readonly identifier = 'shop',
  ) {}

  emit(
    event: string,
    payload: object,
    { key, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer<EmitResponse>> {
    return this.app.request<EmitResponse>('POST', '/api/events/emit', {
      as: this.application,
      headers,
      body: {
        appIdentifier: this.identifier,
        event,
        payload,
        ...(key !== undefined && { idempotencyKey: key }),
      },
    });
  }

  /** Emits an event that must be recorded, and returns its id. */
  async record(
    event: string,
    payload: object,
    options: { headers?: Record<string, string> } = {},
  ): Promise<string> {
    const answer = await this.emit(event, payload, options);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body.envelopeId;
  }

  async envelope(id: string): Promise<EnvelopeDetail> {
    const answer = await this.get<EnvelopeDetail>(`/api/events/envelopes/${id}`);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body;
  }

  /** Waits until an envelope has been dispatched, in its generation or a later one. */
  dispatched(id: string, generation = 0): Promise<EnvelopeDetail> {
    return eventually(async () => {
      const envelope = await this.envelope(id);
      expect(envelope).toMatchObject({ status: 'DISPATCHED' });
      expect(envelope.generation).toBeGreaterThanOrEqual(generation);
      return envelope;
    });
  }

  /** Waits until all runs of an envelope have ended, and returns them, the newest first. */
  runsOf(id: string, count: number): Promise<Run[]> {
    return eventually(async () => {
      const { generations } = await this.envelope(id);
      const ids = generations.flatMap(({ runs }) => runs.map(({ runId }) => runId));
      expect(ids).toHaveLength(count);
      return Promise.all(ids.map((runId) => this.ended(runId)));
    });
  }

  async run(id: string): Promise<Run> {
    return (await this.get<Run>(`/api/runs/${id}`)).body;
  }

  async createTask(workflow: Workflow, name = 'Mine'): Promise<Task> {
    const body = { name, type: 'EVENT', workflow };
    const answer = await this.app.request<Task>('POST', '/api/tasks', { as: this.admin, body });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.body;
  }

  async subscribe(event: string, taskId: string, filter: EventFilter | null = null): Promise<Subscription> {
    const body = { applicationIdentifier: this.identifier, event, taskId, filter };
    const answer = await this.app.request<Subscription>('POST', '/api/events/subscriptions', {
      as: this.admin,
      body,
    });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.body;
  }

  async subscriptions(): Promise<Subscription[]> {
    return (await this.get<Page<Subscription>>('/api/events/subscriptions')).body.items;
  }

  async change(subscription: Subscription, change: object): Promise<Subscription> {
    const path = `/api/events/subscriptions/${subscription.id}`;
    const answer = await this.app.request<Subscription>('PATCH', path, { as: this.admin, body: change });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body;
  }

  get<Body>(path: string): Promise<Answer<Body>> {
    return this.app.request<Body>('GET', path, { as: this.admin });
  }

  post<Body>(path: string, body: object = {}): Promise<Answer<Body>> {
    return this.app.request<Body>('POST', path, { as: this.admin, body });
  }

  private async ended(runId: string): Promise<Run> {
    const run = await this.run(runId);
    expect(['SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED']).toContain(run.status);
    return run;
  }
}

/** A workflow of one code step. */
export function codeWorkflow(source: string): Workflow {
  return { steps: [{ id: 'code', kind: 'code', source }] };
}
