import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { isUnavailable, whileUnavailable } from '../../infra/database/unavailable.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { OutboxPublishersRegistry } from '../../infra/messaging/outbox-publishers.registry.ts';
import { eventsDispatched } from '../../infra/metrics/measures.ts';
import { untilAborted } from '../../infra/runtime/until-aborted.ts';
import { RunCreationService } from '../../tasks/runs/run-creation.service.ts';
import { markFailed, noteError } from './dispatch.store.ts';
import { DispatchService } from './dispatch.service.ts';
import { eventFailpoint } from '../records/event-failpoints.ts';
import * as outbox from '../records/outbox.store.ts';

const BATCH = 64;
/** How many hints wait for the same pass. */
const CONCURRENCY = 20;
/** How many hints are published at once: one is enough to have all envelopes claimed that wait. */
const MAX_HINTS = 64;
/** An envelope that has failed alone this often, or has ended the process as often, is given up. */
const MAX_ATTEMPTS = 20;
const FIRST_DELAY_MS = 1_000;
const LAST_DELAY_MS = 300_000;
/** What admins of the space read; the cause is in the log of the service. */
const UNEXPECTED = 'The dispatch has failed unexpectedly and is attempted again';
const EXHAUSTED = `The dispatch was attempted ${MAX_ATTEMPTS} times, and has failed or ended its process each time`;
/** How long a space is passed over whose subscriptions are being changed. */
const LOCKED_MS = 100;
/** How many runs one transaction stores, unless a single envelope has more. */
const MAX_RUNS = 1_000;
/** How many a turn stores while spaces take turns, unless a single envelope has more: the next one waits for it. */
const TURN_RUNS = 100;
/** How many one transaction of a rest stores meanwhile: larger ones take the processors from the turns. */
const REST_RUNS = 250;
/** Turns with more envelopes are rests from the start while spaces take turns. */
const TURN_ENVELOPES = 16;
/** How long other work gives way to turns. It is rarely needed so long, and costs little where turns never pause. */
const GIVE_WAY_MS = 25;
/** A space has the dispatcher for itself when no other space had a turn for so long. */
const ALONE_MS = 1_000;
/** How many spaces keep the rest of their turn. What others have left is given back. */
const MAX_RESTS = 8;
/** How long a claim is given back while the database is unavailable; then its lease has passed anyway. */
const RELEASE_MS = 15_000;

/** Claimed envelopes of one space. */
interface Turn {
  spaceId: string;
  claims: readonly outbox.Claim[];
}

/**
 * Claims envelopes and dispatches them, one batch after another. Spaces take turns, each with one short transaction. What a turn
 * has left is dispatched beside the turns, so a space with few events waits for no large transaction of another one. While spaces
 * take turns, rests and runs that wait give way to them, because on a busy machine they take the processors. An envelope whose
 * batch has failed, or whose process has died, is tried alone from then on, so that it cannot take others with it, and only what
 * happens then counts against it.
 */
@Injectable()
export class DispatcherWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DispatcherWorker.name);
  private waiting: (() => void)[] = [];
  /** The space that had the last turn. */
  private after: string | null = null;
  /** Whether envelopes may have to be tried alone. */
  private hasSuspects = false;
  /** When a space last had a turn after, or beside, another one. */
  private sharedAt = -Infinity;
  /** What transactions have left of the turns of their spaces. The first one is being dispatched. */
  private readonly rests: Turn[] = [];
  /** Spaces whose subscriptions were locked, and until when they are passed over. */
  private readonly locked = new Map<string, number>();
  private running: Promise<void> | null = null;
  private dispatchingRests: Promise<void> | null = null;
  private stopping = false;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly publishers: OutboxPublishersRegistry,
    private readonly dispatch: DispatchService,
    private readonly runs: RunCreationService,
  ) {}

  onApplicationBootstrap(): void {
    this.messaging.consume('envelope', () => this.pass(), { concurrency: CONCURRENCY });
    this.runs.registerUrgentWork(() => this.giveWay());
    this.publishers.register({
      kind: 'envelope',
      isAnyDue: () => this.database.hasRows(outbox.ENVELOPES_DUE),
      takeDue: (limit) =>
        outbox.takeDueEnvelopes(
          this.database,
          Math.min(limit, MAX_HINTS),
          this.messaging.pace.republishAfterMs,
        ),
      // Their hints lead to all others, which therefore need none.
      expedite: async (limit) => {
        await outbox.expediteEnvelopes(this.database, Math.min(limit, MAX_HINTS));
        return 0;
      },
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.drain();
  }

  /** Resolves when nothing is being dispatched. */
  async drain(): Promise<void> {
    while (this.running ?? this.dispatchingRests) await (this.running ?? this.dispatchingRests);
  }

  /** Resolves after a pass over the outbox that began after the call. */
  private pass(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.running ??= this.run();
    });
  }

  /** Resolves when no turn is under way, or after a moment. Never rejects. */
  private async giveWay(): Promise<void> {
    if (this.running === null || this.isAlone) return;
    await untilAborted(AbortSignal.timeout(GIVE_WAY_MS), this.running);
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    let hasMore: boolean;
    do {
      const hints = this.waiting;
      this.waiting = [];
      hasMore = await this.dispatchNext().catch((error: unknown) => {
        this.logger.warn(
          { err: error },
          'Envelopes could not be claimed; their hints will be published again',
        );
        return false;
      });
      for (const resolve of hints) resolve();
    } while ((hasMore || this.waiting.length > 0) && !this.stopping);
    // In the same step as the last look at `waiting`: a hint that comes later starts the next run.
    this.running = null;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Dispatches a turn of the next space, and one suspect. Returns whether more may be waiting. */
  private async dispatchNext(): Promise<boolean> {
    if (!this.canClaim()) return false;
    const { spaceId, claims, hasOthers, hasSuspects } = await this.claimNext();
    this.hasSuspects = hasSuspects;
    const isAvailable = spaceId === null || (await this.takeTurn({ spaceId, claims }));
    const suspect = this.hasSuspects && this.canClaim() ? await outbox.claimSuspect(this.database) : null;
    if (suspect) await this.dispatchAlone(suspect);
    if (!isAvailable) return false;
    return claims.length === BATCH || hasOthers || suspect !== null;
  }

  /** Returns whether the database is available. */
  private async takeTurn(turn: Turn): Promise<boolean> {
    const { spaceId, claims } = turn;
    if (spaceId !== this.after || this.rests.length > 0) this.sharedAt = performance.now();
    this.after = spaceId;
    if (claims.length === 0) return true;
    const { isAlone } = this;
    if (!isAlone && claims.length > TURN_ENVELOPES && this.keepRest(turn)) return true;
    const left = await this.dispatchTurn(turn, isAlone ? MAX_RUNS : TURN_RUNS);
    if (left === null) return false;
    if (left.length > 0 && !this.keepRest({ spaceId, claims: left })) await this.release(left);
    return true;
  }

  private get isAlone(): boolean {
    return performance.now() - this.sharedAt > ALONE_MS;
  }

  /** Returns false if too many spaces have one. */
  private keepRest(rest: Turn): boolean {
    if (this.rests.length >= MAX_RESTS) return false;
    this.rests.push(rest);
    this.dispatchingRests ??= this.dispatchRests();
    return true;
  }

  /** Never rejects. */
  private async dispatchRests(): Promise<void> {
    for (let rest = this.rests[0]; rest !== undefined; rest = this.rests[0]) {
      await this.giveWay();
      const left = this.canClaim()
        ? await this.dispatchTurn(rest, this.isAlone ? MAX_RUNS : REST_RUNS)
        : rest.claims;
      this.rests.shift();
      if (left !== null && left.length > 0) this.rests.push({ ...rest, claims: left });
      if (left !== null && this.canClaim()) continue;
      // The worker stops, or messaging or the database is down.
      for (const { claims } of this.rests.splice(0)) await this.release(claims);
    }
    this.dispatchingRests = null;
    // Nothing more of these spaces was claimed meanwhile.
    if (this.canClaim()) void this.pass();
  }

  private claimNext(): Promise<outbox.ClaimedBatch> {
    const now = performance.now();
    for (const [spaceId, until] of this.locked) if (until <= now) this.locked.delete(spaceId);
    const except = [...this.locked.keys(), ...this.rests.map(({ spaceId }) => spaceId)];
    return outbox.claimBatch(this.database, BATCH, this.after, except);
  }

  /** Without messaging, envelopes wait: nothing may look for them until it has recovered. */
  private canClaim(): boolean {
    return !this.stopping && this.messaging.getState() !== 'down';
  }

  /** Returns the claims that are left; null if the database is unavailable. */
  private async dispatchTurn({ spaceId, claims }: Turn, maxRuns: number): Promise<outbox.Claim[] | null> {
    try {
      for (const { envelopeId } of claims) eventFailpoint('events.dispatch.after-claim', envelopeId);
      const { left, isLocked } = await this.dispatch.dispatch(spaceId, claims, maxRuns);
      if (!isLocked) return left;
      this.passOver(spaceId);
      await this.release(left);
      return [];
    } catch (error) {
      const areSuspects = !isUnavailable(error);
      this.logger.warn(
        { err: error, envelopes: claims.length },
        'A batch of envelopes could not be dispatched',
      );
      await this.release(claims, areSuspects);
      this.hasSuspects ||= areSuspects;
      return areSuspects ? [] : null;
    }
  }

  /** Passes over a space for a moment, and looks again then. */
  private passOver(spaceId: string): void {
    this.locked.set(spaceId, performance.now() + LOCKED_MS);
    setTimeout(() => void this.pass(), LOCKED_MS + 1).unref();
  }

  private async dispatchAlone(claim: outbox.Claim): Promise<void> {
    const { envelopeId, attempts } = claim;
    if (attempts > MAX_ATTEMPTS) return this.giveUp(claim);
    try {
      eventFailpoint('events.dispatch.after-claim', envelopeId);
      const { left, isLocked } = await this.dispatch.dispatch(claim.spaceId, [claim], MAX_RUNS);
      if (left.length > 0)
        await this.giveBack(() => outbox.forgiveClaim(this.database, claim, isLocked ? LOCKED_MS : 0));
    } catch (error) {
      this.logger.warn({ err: error, envelopeId, attempts }, 'An envelope could not be dispatched');
      await this.giveBack(() =>
        isUnavailable(error) ? outbox.forgiveClaim(this.database, claim) : this.postpone(claim),
      );
    }
  }

  private async postpone(claim: outbox.Claim): Promise<void> {
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (claim.attempts - 1), LAST_DELAY_MS);
    await outbox.postponeClaim(this.database, claim, claim.attempts < MAX_ATTEMPTS ? delayMs : 0);
    await noteError(this.database, claim, UNEXPECTED);
  }

  /** No run of the generation exists, because everything was rolled back: a replay is safe. */
  private async giveUp(claim: outbox.Claim): Promise<void> {
    this.logger.error(
      { envelopeId: claim.envelopeId },
      'An envelope is given up: it could not be dispatched',
    );
    await this.database.transaction(async (tx) => {
      const held = await outbox.deleteClaims(tx, [claim]);
      if (held === 1) await markFailed(tx, claim, 'DISPATCH_ATTEMPTS_EXHAUSTED', EXHAUSTED);
    });
    eventsDispatched.inc({ outcome: 'failed' });
  }

  private release(claims: readonly outbox.Claim[], areSuspects = false): Promise<void> {
    return this.giveBack(() => outbox.releaseClaims(this.database, claims, areSuspects));
  }

  /** What cannot be given back waits until its lease has passed. */
  private async giveBack(work: () => Promise<void>): Promise<void> {
    await whileUnavailable(work, undefined, RELEASE_MS).catch((error: unknown) =>
      this.logger.warn({ err: error }, 'Claimed envelopes could not be given back'),
    );
  }
}
