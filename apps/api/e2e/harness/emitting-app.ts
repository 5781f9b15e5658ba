import type {
  EmitBatchResponse,
  EmitResponse,
  EventFilter,
  ManifestEvent,
  ManifestSubscription,
  Step,
  Task,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import { ApplicationIdentitiesService } from '../../src/auth/applications/application-identities.service.ts';
import { CatalogInstallationService } from '../../src/events/catalog/catalog-installation.service.ts';
import type { Answer, TestApp, TestUser } from './app.ts';
import { eventually } from './eventually.ts';

export interface StoredEnvelope {
  id: string;
  status: string;
  status_reason: string | null;
  event: string;
  payload: Record<string, unknown>;
  source: string;
  idempotency_key: string | null;
  emitted_at: Date;
  actor_user_id: string | null;
  causation_id: string | null;
  causation_run_id: string | null;
  root_id: string;
  depth: number;
  path: string[];
  generation: number;
  matched_count: number;
  verdicts: { subscriptionId: string; taskId: string; outcome: string; reason: string | null }[] | null;
  dispatched_at: Date | null;
  last_error: string | null;
}

export const ORDER_CREATED: ManifestEvent = {
  name: 'order.created',
  description: 'An order was created.',
  payloadSchema: {
    type: 'object',
    properties: { n: { type: 'integer' }, kind: { type: 'string' }, amount: { type: 'number' } },
    required: ['n'],
  },
};

/** An application of one space, installed by the services, and calls with its key. */
export class EmittingApp {
  private constructor(
    readonly app: TestApp,
    readonly user: TestUser,
    readonly identifier: string,
    readonly applicationId: string,
    readonly key: string,
  ) {}

  static async install(
    app: TestApp,
    { user = app.admin, identifier = 'shop', events = [ORDER_CREATED] }: Partial<InstallOptions> = {},
  ): Promise<EmittingApp> {
    const { applicationId, key } = await app.get(DataSource).transaction(async (tx) => {
      const { id } = await app.get(ApplicationIdentitiesService).install(tx, user.spaceId, identifier);
      const where = { spaceId: user.spaceId, applicationId: id, userId: user.userId };
      await app.get(CatalogInstallationService).install(tx, where, { name: identifier, events }, new Map());
      const by = { credential: { kind: 'internal', id: user.userId } } as const;
      const { key } = await app.get(ApplicationIdentitiesService).rotateKey(tx, id, by);
      return { applicationId: id, key };
    });
    return new EmittingApp(app, user, identifier, applicationId, key);
  }

  /** Registers other events in place of the current ones, as an upgrade does. */
  async upgrade(
    events: ManifestEvent[],
    subscriptions: ManifestSubscription[] = [],
    taskIds = new Map<string, string>(),
  ): Promise<void> {
    const where = { spaceId: this.user.spaceId, applicationId: this.applicationId, userId: this.user.userId };
    const manifest = { name: this.identifier, events, subscriptions };
    await this.app
      .get(DataSource)
      .transaction((tx) => this.app.get(CatalogInstallationService).install(tx, where, manifest, taskIds));
  }

  async uninstall(): Promise<void> {
    const where = { spaceId: this.user.spaceId, applicationId: this.applicationId };
    await this.app.get(DataSource).transaction(async (tx) => {
      await this.app.get(CatalogInstallationService).uninstall(tx, where);
      await this.app.get(ApplicationIdentitiesService).uninstall(tx, this.applicationId);
    });
  }

  post(
    body: unknown,
    { key = this.key, headers = {}, url = this.app.url } = {},
  ): Promise<Answer<EmitResponse>> {
    return this.postRaw(JSON.stringify(body), { key, headers, url });
  }

  async postRaw(
    raw: string,
    { key = this.key, headers = {}, url = this.app.url } = {},
  ): Promise<Answer<EmitResponse>> {
    const response = await fetch(`${url}/api/events/emit`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      body: raw,
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text) as EmitResponse,
      text,
    };
  }

  async postBatch(events: unknown, headers: Record<string, string> = {}): Promise<Answer<EmitBatchResponse>> {
    const response = await fetch(`${this.app.url}/api/events/emit-batch`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ events }),
    });
    const text = await response.text();
    const body = JSON.parse(text) as EmitBatchResponse;
    return { status: response.status, headers: response.headers, body, text };
  }

  /** Emits and expects 200. */
  async emit(
    payload: Record<string, unknown>,
    { event = 'order.created', key = null as string | null, url = this.app.url } = {},
  ): Promise<EmitResponse> {
    const body = { appIdentifier: this.identifier, event, payload, idempotencyKey: key };
    const { status, body: response, text } = await this.post(body, { url });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return response;
  }

  /** A task of type EVENT. The default step returns the payload. */
  async task(name: string, steps?: Step[], options: Record<string, unknown> = {}): Promise<Task> {
    const code: Step = { id: 'out', kind: 'code', source: 'return context.execution.inputs.trigger.payload' };
    const body = { name, type: 'EVENT', workflow: { steps: steps ?? [code] }, ...options };
    const answer = await this.app.request<Task>('POST', '/api/tasks', { as: this.user, body });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  }

  async subscribe(
    task: Pick<Task, 'id'>,
    { event = 'order.created', filter = null as EventFilter | null, enabled = true } = {},
  ): Promise<string> {
    const body = { applicationIdentifier: this.identifier, event, taskId: task.id, filter, enabled };
    const answer = await this.app.request<{ id: string }>('POST', '/api/events/subscriptions', {
      as: this.user,
      body,
    });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body.id;
  }

  async envelope(id: string): Promise<StoredEnvelope> {
    const [row] = await this.app.sql<StoredEnvelope>('select * from envelope where id = $1', [id]);
    if (!row) throw new Error(`The envelope ${id} is not stored`);
    return row;
  }

  envelopes(where = 'true', parameters: unknown[] = []): Promise<StoredEnvelope[]> {
    return this.app.sql(`select * from envelope where application_id = $1 and (${where}) order by id`, [
      this.applicationId,
      ...parameters,
    ]);
  }

  /** The envelope once it is no longer PENDING. */
  dispatched(id: string, deadlineMs?: number): Promise<StoredEnvelope> {
    return eventually(async () => {
      const envelope = await this.envelope(id);
      if (envelope.status === 'PENDING')
        throw new Error(`The envelope is PENDING: ${JSON.stringify(envelope)}`);
      return envelope;
    }, deadlineMs);
  }

  runs(
    envelopeId: string,
  ): Promise<
    { id: string; task_id: string; trigger: Record<string, unknown>; generation: number; status: string }[]
  > {
    return this.app.sql('select * from run where envelope_id = $1 order by id', [envelopeId]);
  }
}

interface InstallOptions {
  user: TestUser;
  identifier: string;
  events: ManifestEvent[];
}
