import type { SegmentOrigin } from '@platform/contracts';
import type { InvocableAgent } from '../agents/agent-row.ts';
import type { ResolvedModel } from '../models/catalogue.service.ts';
import type { BilledTokens } from '../models/price.ts';
import { costOf } from '../models/price.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import type { Item } from './items.ts';
import type { TurnSettings } from './turn-store.ts';

/** Why a running turn is stopped from outside. */
export type StopReason = 'cancelled' | 'shutdown';

/** What the segment has used so far; what other segments used stands in the turn's row. */
export class UsageTotal {
  promptTokens = 0;
  completionTokens = 0;
  cost = 0;
  estimated = false;

  add(usage: BilledTokens, cost: number, estimated: boolean): void {
    this.promptTokens += usage.promptTokens;
    this.completionTokens += usage.completionTokens;
    this.cost += cost;
    this.estimated ||= estimated;
  }
}

/** What is known of a turn when it is claimed. */
export interface ClaimedTurn {
  id: string;
  clientTurnId: string;
  userId: string;
  session: { ref: string; name: string };
  /** Its place in the session, from 1. */
  n: number;
  agent: InvocableAgent;
  model: ResolvedModel;
  settings: TurnSettings;
  requestId: string | null;
  origin: SegmentOrigin;
  writer: StreamWriter;
  /** The steps that are stored and count, and the number of the next. */
  items: Item[];
  nextItem: number;
}

/** A turn while this process runs it. */
export class ActiveTurn {
  readonly id: string;
  readonly clientTurnId: string;
  readonly userId: string;
  readonly session: { ref: string; name: string };
  readonly n: number;
  readonly agent: InvocableAgent;
  readonly model: ResolvedModel;
  readonly settings: TurnSettings;
  readonly requestId: string | null;
  readonly origin: SegmentOrigin;
  readonly writer: StreamWriter;
  readonly items: Item[];
  nextItem: number;

  readonly usage = new UsageTotal();
  /** Aborts when the turn is stopped or its claim is lost. */
  readonly signal: AbortSignal;
  private readonly startedAt = performance.now();
  private readonly stopping = new AbortController();

  constructor(claimed: ClaimedTurn) {
    this.id = claimed.id;
    this.clientTurnId = claimed.clientTurnId;
    this.userId = claimed.userId;
    this.session = claimed.session;
    this.n = claimed.n;
    this.agent = claimed.agent;
    this.model = claimed.model;
    this.settings = claimed.settings;
    this.requestId = claimed.requestId;
    this.origin = claimed.origin;
    this.writer = claimed.writer;
    this.items = claimed.items;
    this.nextItem = claimed.nextItem;
    this.signal = AbortSignal.any([this.stopping.signal, this.writer.signal]);
  }

  stop(reason: StopReason): void {
    if (!this.stopping.signal.aborted) this.stopping.abort(reason);
  }

  /** Why it was stopped, or null. */
  get stopped(): StopReason | null {
    return this.stopping.signal.aborted ? (this.stopping.signal.reason as StopReason) : null;
  }

  charge(usage: BilledTokens, estimated: boolean): void {
    this.usage.add(usage, costOf(usage, this.model.price), estimated);
  }

  get executionMs(): number {
    return performance.now() - this.startedAt;
  }
}
