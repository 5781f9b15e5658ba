import type { SegmentOrigin, ToolExecution } from '@platform/contracts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import type { ResolvedModel } from '../../models/catalog/catalog.service.ts';
import type { ModelUsage } from '../../models/port/model-provider.ts';
import { costOf } from '../../models/pricing/price.ts';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import type { Tail } from '../context/context.store.ts';
import type { TurnPayer } from '../records/payer.ts';
import type { Step } from '../records/steps.ts';
import type { TurnSettings } from '../records/turn.ts';

/** Why a running turn is stopped. */
export type StopReason = 'cancelled' | 'shutdown';

/** What one call of the model used, and what it costs. */
export interface StepUsage extends ModelUsage {
  /** The id of its ledger entry, unless the call had a reservation. */
  callId: string;
  /** Null without a price: nothing in the usage of the turn. */
  cost: number | null;
  estimated: boolean;
}

/** What the segment has used so far; the row of the turn has the usage of all segments. */
export class UsageTotal {
  promptTokens = 0;
  completionTokens = 0;
  cost = 0;
  estimated = false;

  add({ promptTokens, completionTokens, cost, estimated }: StepUsage): void {
    this.promptTokens += promptTokens;
    this.completionTokens += completionTokens;
    // Costs are exact to 1e-9; a sum of doubles is not.
    this.cost = Math.round((this.cost + (cost ?? 0)) * 1e9) / 1e9;
    this.estimated ||= estimated;
  }
}

/** What is known about a turn when it is claimed. */
export interface ClaimedTurn {
  id: string;
  turnId: string;
  userId: string;
  /** The run of a task that caused the turn. */
  causationRunId: string | null;
  session: { ref: string; name: string };
  /** Its position in the session, starting at 1. */
  n: number;
  agent: InvocableAgent;
  model: ResolvedModel;
  settings: TurnSettings;
  requestId: string | null;
  origin: SegmentOrigin;
  /** Whether a cancel request may have come before the turn was stored. */
  mayHaveCancelRequest: boolean;
  payer: TurnPayer;
  writer: StreamWriter;
  /** The steps that are stored and count, and the number of the next. */
  steps: Step[];
  nextStep: number;
}

/** A turn while this process runs it. */
export class ActiveTurn {
  readonly id: string;
  readonly turnId: string;
  readonly userId: string;
  readonly causationRunId: string | null;
  readonly session: { ref: string; name: string };
  readonly n: number;
  readonly agent: InvocableAgent;
  readonly model: ResolvedModel;
  readonly settings: TurnSettings;
  readonly requestId: string | null;
  readonly origin: SegmentOrigin;
  readonly mayHaveCancelRequest: boolean;
  readonly writer: StreamWriter;
  readonly steps: Step[];
  nextStep: number;

  /** The steps of earlier turns that are in no page yet; the end of the turn adds them to one. */
  unfolded: Tail | null = null;

  /** Tool calls that readers see as started, by their ids. */
  readonly executions = new Map<string, ToolExecution>();

  readonly usage = new UsageTotal();
  /** What the last call used and was not charged yet. */
  due: StepUsage | null = null;
  /** The reservation of the current call; null if there is no limit. */
  reservationId: string | null = null;
  readonly payer: TurnPayer;
  /** Aborts when the turn is stopped or its lease is lost. */
  readonly signal: AbortSignal;
  private readonly startedAt = performance.now();
  private readonly stopping = new AbortController();

  constructor(claimed: ClaimedTurn) {
    this.id = claimed.id;
    this.turnId = claimed.turnId;
    this.userId = claimed.userId;
    this.causationRunId = claimed.causationRunId;
    this.session = claimed.session;
    this.n = claimed.n;
    this.agent = claimed.agent;
    this.model = claimed.model;
    this.settings = claimed.settings;
    this.requestId = claimed.requestId;
    this.origin = claimed.origin;
    this.mayHaveCancelRequest = claimed.mayHaveCancelRequest;
    this.writer = claimed.writer;
    this.steps = claimed.steps;
    this.nextStep = claimed.nextStep;
    this.payer = claimed.payer;
    this.signal = AbortSignal.any([this.stopping.signal, this.writer.signal]);
  }

  stop(reason: StopReason): void {
    if (!this.stopping.signal.aborted) this.stopping.abort(reason);
  }

  /** Why it was stopped, or null. */
  get stopped(): StopReason | null {
    return this.stopping.signal.aborted ? (this.stopping.signal.reason as StopReason) : null;
  }

  /** Records what a call used; it is charged in the transaction that stores the step. */
  used(usage: ModelUsage, estimated: boolean): void {
    const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
    const cost = costOf(usage, this.model.price);
    this.due = {
      callId: uuidV7(),
      promptTokens,
      completionTokens,
      cachedTokens,
      reasoningTokens,
      cost,
      estimated,
    };
    this.usage.add(this.due);
  }

  get executionMs(): number {
    return performance.now() - this.startedAt;
  }
}
