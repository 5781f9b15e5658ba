import type { CreateJobRequest, Job, Page } from '@platform/contracts';
import type { Answer, RequestInit, TestApp, TestUser } from './app.ts';
import { readStream, type StreamedAnswer } from './frames.ts';

const LAST = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'];

/** The jobs of one user, as raw HTTP. */
export class JobCalls {
  constructor(
    readonly app: TestApp,
    readonly user: TestUser = app.admin,
  ) {}

  by(user: TestUser): JobCalls {
    return new JobCalls(this.app, user);
  }

  request<Body = Job>(method: string, path: string, init: RequestInit = {}): Promise<Answer<Body>> {
    return this.app.request<Body>(method, `/api/agent-jobs${path}`, { as: this.user, ...init });
  }

  post(body: CreateJobRequest | Record<string, unknown>, headers = {}): Promise<Answer<Job>> {
    return this.request('POST', '', { body, headers });
  }

  /** A new job. */
  async start(body: CreateJobRequest | Record<string, unknown>): Promise<Job> {
    const { status, body: job, text } = await this.post(body);
    if (status !== 202) throw new Error(`${status} ${text}`);
    return job;
  }

  async get({ id }: Pick<Job, 'id'>, waitMs = 0): Promise<Job> {
    const { status, body, text } = await this.request('GET', `/${id}?waitMs=${waitMs}`);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return body;
  }

  /** The job and its version once that is another than `seen`; null if it is not within the time. */
  async changed(
    { id }: Pick<Job, 'id'>,
    seen: string,
    waitMs = 30_000,
  ): Promise<{ job: Job; version: string } | null> {
    const headers = { 'If-None-Match': seen };
    const answer = await this.request('GET', `/${id}?waitMs=${waitMs}`, { headers });
    if (answer.status === 304) return null;
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return { job: answer.body, version: answer.headers.get('etag') ?? '' };
  }

  /** Everything that is told of a job until one of the statuses, by long polls. */
  async follow(job: Job, ...until: Job['status'][]): Promise<Job[]> {
    const told = [job];
    let seen = '';
    for (let last = job; !LAST.includes(last.status) && !until.includes(last.status);) {
      const next = await this.changed(job, seen);
      if (next === null) continue;
      ({ job: last, version: seen } = next);
      told.push(last);
    }
    return told;
  }

  /** The job once it has one of the statuses; without any, once it has ended. */
  async reached(job: Job, ...statuses: Job['status'][]): Promise<Job> {
    const last = (await this.follow(job, ...statuses)).at(-1) ?? job;
    if (statuses.length > 0 && !statuses.includes(last.status))
      throw new Error(`The job is ${last.status}: ${JSON.stringify(last)}`);
    return last;
  }

  async list(query = ''): Promise<Page<Job>> {
    return (await this.request<Page<Job>>('GET', query)).body;
  }

  cancel({ id }: Job): Promise<Answer<Job>> {
    return this.request('POST', `/${id}/cancel`);
  }

  async stream({ id }: Job): Promise<StreamedAnswer> {
    return readStream(await this.app.fetch('GET', `/api/agent-jobs/${id}/stream`, { as: this.user }));
  }
}
