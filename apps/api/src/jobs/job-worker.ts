import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { InvocableAgent } from '../agents/agent-row.ts';
import { AgentsService } from '../agents/agents.service.ts';
import { IdentityService } from '../auth/identity.service.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../infra/database/background-database.ts';
import { AppError, forbidden } from '../infra/http/app-error.ts';
import { Messaging } from '../infra/messaging/messaging.ts';
import { RelayLoops } from '../infra/messaging/relay-loops.ts';
import { untilAborted } from '../infra/until-aborted.ts';
import { CancellationService } from '../turns/cancellation.service.ts';
import { ClaimMissed, TurnClaims, type OpenedSegment } from '../turns/turn-claims.ts';
import { extentsOf, failQueued, nextQueued, waitsInSession } from '../turns/turn-queue.ts';
import { TurnRunner } from '../turns/turn-runner.ts';
import * as queue from './job-queue.store.ts';
import { nextMove } from './job-state.ts';
import { JobViews } from './job-views.ts';
import type { JobRow } from './jobs.store.ts';
import { Webhooks } from './webhooks.service.ts';

/** Jobs that a process runs at the same time. */
const CONCURRENCY = 50;
const DEADLINE_POLL_MS = 500;
const DEADLINE_BATCH = 100;

const TIMED_OUT = { code: 'TIMED_OUT', message: 'The time of the job was over', retryable: false };

/** Looks at jobs that it is hinted at and does what is left to do: claims, waits, stops, tells, settles. */
@Injectable()
export class JobWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(JobWorker.name);
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly config: PlatformConfig,
    private readonly messaging: Messaging,
    private readonly relays: RelayLoops,
    private readonly identity: IdentityService,
    private readonly agents: AgentsService,
    private readonly claims: TurnClaims,
    private readonly runner: TurnRunner,
    private readonly cancellation: CancellationService,
    private readonly views: JobViews,
    private readonly webhooks: Webhooks,
  ) {}

  onApplicationBootstrap(): void {
    this.messaging.consume('job', (id) => this.tracked(this.work(id)), { concurrency: CONCURRENCY });
    this.relays.register({
      kind: 'job',
      due: (limit) => queue.dueJobs(this.database, limit, this.messaging.pace.republishAfterMs),
      expedite: () => queue.expediteJobs(this.database),
    });
    // Not by hints: jobs that fill all the places must be stopped all the same.
    if (this.config.works)
      this.timer = setInterval(() => void this.tracked(this.stopOverdue()), DEADLINE_POLL_MS).unref();
  }

  /** Waits for what is being written; turns that run are drained by their runner, and their jobs looked at again. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.stopping.abort();
    await Promise.allSettled(this.underWay);
  }

  private async work(id: string): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const job = await queue.openJob(this.database, id);
      if (job === null) return;
      const move = nextMove({
        status: job.status,
        turnStatus: job.turn.status,
        stopping: job.cancelRequested || job.timedOut,
      });
      switch (move) {
        case 'claim':
        case 'claim-again':
          if (!(await this.run(job, move === 'claim' ? 'QUEUED' : 'FAILED'))) return;
          break;
        case 'stop':
          if ((await this.cancellation.stop(job.turn, job.timedOut ? TIMED_OUT : undefined)) !== 'cancelling')
            break;
          await queue.leaveRunning(this.database, id);
          return;
        case 'wait':
          await queue.leaveRunning(this.database, id);
          return;
        case 'tell':
        case 'settle':
          await this.conclude(job, move);
          return;
      }
    }
  }

  /** Runs the job until its turn ends or asks; false where it has to wait, and true where it is to be looked at. */
  private async run(job: JobRow, from: 'QUEUED' | 'FAILED'): Promise<boolean> {
    const opened = await this.claim(job, from);
    if (opened === 'later') await queue.postpone(this.database, job.id);
    if (typeof opened === 'string') return opened === 'again';
    await untilAborted(this.stopping.signal, this.runner.ended(opened.streamId));
    if (this.stopping.signal.aborted) return false;
    await this.hintNext(job.turn.sessionRef);
    return true;
  }

  private async claim(job: JobRow, from: 'QUEUED' | 'FAILED'): Promise<OpenedSegment | 'later' | 'again'> {
    const { turn } = job;
    if (from === 'QUEUED' && (await waitsInSession(this.database, turn))) return 'later';
    try {
      const by = { agent: await this.agentOf(job), userId: turn.userId, requestId: job.requestId };
      return await this.claims.run(turn, from, by, async (tx) => {
        if (!(await queue.claimJob(tx, job.id, from === 'FAILED'))) throw new ClaimMissed();
      });
    } catch (error) {
      if (error instanceof ClaimMissed) return 'again';
      // The owner runs as many turns as one may: the job waits its turn.
      if (error instanceof AppError && error.code === 'RATE_LIMITED') return 'later';
      // What is told to come back later, such as a shutdown, is no verdict about the job.
      if (!(error instanceof AppError) || error.retryAfter !== undefined) throw error;
      if (error.code === 'CONFLICT') return 'later';
      await this.refuse(job, from, error);
      return 'again';
    }
  }

  /** The agent, where the owner may still invoke it. */
  private async agentOf({ turn }: JobRow): Promise<InvocableAgent> {
    if (!(await this.identity.isMember(turn.spaceId, turn.userId)))
      throw forbidden('The owner of the job is no longer a member of the space');
    return this.agents.invocable(turn, turn.agentId);
  }

  private async refuse(job: JobRow, from: 'QUEUED' | 'FAILED', { code, message }: AppError): Promise<void> {
    if (from === 'QUEUED') await failQueued(this.database, job.turn.id, { code, message, retryable: false });
    else await queue.forgoClaim(this.database, job.id);
  }

  /** Takes note of an end, or of a question, together with the webhook that tells it. */
  private async conclude(row: JobRow, move: 'tell' | 'settle'): Promise<void> {
    const { id, webhookUrl: url, turn } = row;
    const job = url === null ? null : await this.views.whole(row);
    const segment = (await extentsOf(this.database, [turn.id])).get(turn.id)?.segment ?? 0;
    const delivery = await this.database.transaction(async (tx) => {
      if (move === 'tell') await queue.leaveRunning(tx, id);
      else if (!(await queue.closeJob(tx, id))) return null;
      if (url === null || job === null) return null;
      return this.webhooks.store(
        tx,
        { spaceId: turn.spaceId, url, segment },
        job,
        turn.finishedAt ?? turn.createdAt,
      );
    });
    if (delivery !== null) await this.webhooks.publish(delivery);
  }

  /** The job that waited for the session runs next. */
  private async hintNext(sessionRef: string): Promise<void> {
    const turnRef = await nextQueued(this.database, sessionRef);
    const next = turnRef && (await queue.openJobOf(this.database, turnRef));
    if (next) await this.messaging.publish('job', [next]);
  }

  private async stopOverdue(): Promise<void> {
    try {
      const overdue = await queue.timeOutJobs(this.database, DEADLINE_BATCH);
      for (const { turn } of overdue) await this.cancellation.stop(turn, TIMED_OUT);
    } catch (error) {
      this.logger.warn({ err: error }, 'Overdue jobs could not be stopped; trying again');
    }
  }

  private async tracked(work: Promise<void>): Promise<void> {
    this.underWay.add(work);
    await work.finally(() => this.underWay.delete(work));
  }
}
