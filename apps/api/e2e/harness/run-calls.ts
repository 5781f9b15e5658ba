import type {
  CreateTaskRequest,
  Page,
  RetryRunRequest,
  Run,
  RunListing,
  RunStatus,
  Step,
  Task,
} from '@platform/contracts';
import type { Answer, RequestInit, TestApp, TestUser } from './app.ts';
import { eventually } from './eventually.ts';

const ENDED: readonly RunStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'];

/** The tasks and runs of one user, as raw HTTP. */
export class RunCalls {
  constructor(
    readonly app: TestApp,
    readonly user: TestUser = app.admin,
  ) {}

  by(user: TestUser): RunCalls {
    return new RunCalls(this.app, user);
  }

  request<Body = Run>(method: string, path: string, init: RequestInit = {}): Promise<Answer<Body>> {
    return this.app.request<Body>(method, `/api${path}`, { as: this.user, ...init });
  }

  /** A new task; by default a manual one with these steps. */
  async createTask(steps: Step[], change: Partial<CreateTaskRequest> = {}): Promise<Task> {
    const body = { name: 'Test', type: 'MANUAL', workflow: { steps }, ...change };
    return expectStatus(await this.request<Task>('POST', '/tasks', { body }), 201);
  }

  async start({ id }: Pick<Task, 'id'>, inputs: Record<string, unknown> = {}): Promise<Run> {
    return expectStatus(await this.request('POST', `/tasks/${id}/run`, { body: { inputs } }), 202);
  }

  async get({ id }: Pick<Run, 'id'>): Promise<Run> {
    return expectStatus(await this.request('GET', `/runs/${id}`), 200);
  }

  async list(path: string): Promise<Page<RunListing>> {
    return expectStatus(await this.request<Page<RunListing>>('GET', path), 200);
  }

  cancel({ id }: Pick<Run, 'id'>): Promise<Answer<Run>> {
    return this.request('POST', `/runs/${id}/cancel`);
  }

  /** By default from where it stopped. */
  retry({ id }: Pick<Run, 'id'>, request: RetryRunRequest = {}): Promise<Answer<Run>> {
    return this.request('POST', `/runs/${id}/retry`, { body: request });
  }

  /** The run once it has one of the statuses; without any, once it has ended. */
  async reached(run: Pick<Run, 'id'>, ...statuses: RunStatus[]): Promise<Run> {
    const wanted = statuses.length > 0 ? statuses : ENDED;
    return eventually(async () => {
      const found = await this.get(run);
      if (!wanted.includes(found.status)) throw new Error(`The run is ${JSON.stringify(found)}`);
      return found;
    });
  }

  /** Ends what a run waits for, as if its time was over. */
  async endWaits({ id }: Pick<Run, 'id'>): Promise<void> {
    await this.app.sql('update run_wait set due_at = clock_timestamp() where run_id = $1', [id]);
  }

  /** A run of a new task with these steps, once it has ended. */
  async result(steps: Step[], change: Partial<CreateTaskRequest> = {}): Promise<Run> {
    return this.reached(await this.start(await this.createTask(steps, change)));
  }
}

function expectStatus<Body>({ status, body, text }: Answer<Body>, expected: number): Body {
  if (status !== expected) throw new Error(`${status} ${text}`);
  return body;
}
