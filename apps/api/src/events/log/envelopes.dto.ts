import {
  ENVELOPE_OUTCOMES,
  ENVELOPE_STATUSES,
  type EnvelopeOutcome,
  type EnvelopeReason,
  type EnvelopeStatus,
  type EventSource,
  type ReplayOnly,
  type RunStatus,
  type VerdictOutcome,
} from '@platform/contracts';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional, Length } from 'class-validator';
import { IsInstant } from '../../infra/requests/instant.ts';
import { EventQueryDto } from '../subscriptions/subscriptions.dto.ts';
import { EventBucketDto } from '../summary/summary.dto.ts';
import { IsText } from '../../infra/requests/text.ts';
import { DeliveryFiguresDto } from '../summary/summary.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

export class EnvelopeQueryDto extends EventQueryDto {
  @IsOptional()
  @IsIn(ENVELOPE_STATUSES)
  status?: EnvelopeStatus;

  /**
   * What became of the last delivery to each subscription. `FAILED`: a run has failed or was interrupted, or none was started.
   * `WAITING`: a run waits or executes. `SUCCEEDED`: all others succeeded, and at least one.
   */
  @IsOptional()
  @IsIn(ENVELOPE_OUTCOMES)
  outcome?: EnvelopeOutcome;

  /** The key that the application, or the step, gave to the emission. */
  @IsOptional()
  @IsText()
  @Length(1, 255)
  idempotencyKey?: string;

  /** A text in the payload, whatever the case of its letters. A page searches at most 1,000 envelopes and 16 MB. */
  @IsOptional()
  @IsText()
  @Length(1, 200)
  text?: string;

  /** Emitted at this time or later. */
  @IsOptional()
  @IsInstant()
  from?: string;

  /** Emitted before this time. */
  @IsOptional()
  @IsInstant()
  to?: string;
}

/** Of the filters of the list, those that counts have: `from` is a day before `to` by default, and that is now. */
export class VolumeQueryDto extends PickType(EnvelopeQueryDto, [
  'event',
  'applicationIdentifier',
  'from',
  'to',
]) {}

class VolumeBucketDto extends PickType(EventBucketDto, [
  'start',
  'dispatched',
  'failed',
  'skipped',
  'pending',
]) {}

export class EnvelopeVolumeDto {
  /** Width of a bucket in seconds. Buckets start at multiples of it in UTC. */
  @ApiProperty({ type: 'integer' })
  bucketSeconds!: number;
  /** At most 120, which are whole: the first and the last can reach beyond `from` and `to`. */
  buckets!: VolumeBucketDto[];
}

/** What is left of a payload that was erased. */
class PayloadErasureDto {
  erasedAt!: string;
  erasedBy!: string;
  /** Of the payload as it was stored, in UTF-8, as hexadecimal digits. */
  sha256!: string;
  /** How many the payload had. */
  @ApiProperty({ type: 'integer' })
  bytes!: number;
}

class EnvelopeDto {
  id!: string;
  applicationIdentifier!: string;
  event!: string;
  /** `PENDING`: not dispatched yet. `SKIPPED`: stopped by the loop guard. `FAILED`: could not be delivered; no run exists. */
  status!: EnvelopeStatus;
  /** Why the envelope was skipped or has failed. */
  @ApiProperty({ type: String, nullable: true, example: 'SAME_EVENT_LOOP' })
  statusReason!: EnvelopeReason | null;
  /** `datasource`: a data write. `app`: an application or an `emit` step. `system`: a test emission. */
  source!: EventSource;
  @ApiProperty({ type: 'object', additionalProperties: true, example: { amount: 50, currency: 'EUR' } })
  payload!: Record<string, unknown>;
  /** How many subscriptions matched at the last dispatch. */
  matchedCount!: number;
  /** How often the envelope was replayed. */
  generation!: number;
  /** What became of the last delivery to each subscription. */
  deliveries!: DeliveryFiguresDto;
  /** How many events led here from the first emission. */
  depth!: number;
  emittedAt!: string;
  dispatchedAt!: string | null;
  /** Set if the payload was erased; it is `{}` then. */
  erasure!: PayloadErasureDto | null;
}

class SearchedDto {
  /** How many envelopes the search has looked at. */
  @ApiProperty({ type: 'integer' })
  envelopes!: number;
  /** Envelopes that were emitted before this time were not looked at; null: none are left. */
  to!: string | null;
}

/** The payloads of a page take about 4 MB at most. A page can have fewer items than `limit`, even none, and a `nextCursor`. */
export class EnvelopePageDto extends pageOf(EnvelopeDto) {
  /** For searches by text or outcome. `nextCursor` continues them. */
  searched?: SearchedDto;
}

class SubscriptionVerdictDto {
  subscriptionId!: string;
  taskId!: string;
  outcome!: VerdictOutcome;
  @ApiProperty({ type: String, nullable: true, example: 'amount: 40, wanted one of [50,100]' })
  reason!: string | null;
}

class EnvelopeRunDto {
  runId!: string;
  taskId!: string;
  taskName!: string;
  subscriptionId!: string;
  status!: RunStatus;
  createdAt!: string;
  finishedAt!: string | null;
  /** How long the current attempt took; null until it has ended. */
  @ApiProperty({ type: 'integer', nullable: true })
  durationMs!: number | null;
}

class EnvelopeGenerationDto {
  /** 0: the emission. 1 and more: replays. */
  generation!: number;
  /** The user who requested the replay; null for the emission. */
  requestedBy!: string | null;
  requestedAt!: string;
  /** What the request has limited the replay to; null: nothing. */
  only!: ReplayOnly | null;
  /** The subscriptions that the request has limited the replay to; null: all. */
  subscriptionIds!: string[] | null;
  status!: EnvelopeStatus;
  @ApiProperty({ type: String, nullable: true })
  statusReason!: EnvelopeReason | null;
  matchedCount!: number;
  dispatchedAt!: string | null;
  /** What each subscription made of the envelope. */
  verdicts!: SubscriptionVerdictDto[];
  /** When verdicts beyond the 200 that the dispatch has stored were computed; null if there are no more. */
  asOf!: string | null;
  runs!: EnvelopeRunDto[];
}

class CausingRunDto {
  runId!: string;
  taskId!: string;
  taskName!: string;
  status!: RunStatus;
}

class CausationNodeDto {
  envelopeId!: string;
  event!: string;
  status!: EnvelopeStatus;
  @ApiProperty({ type: String, nullable: true })
  statusReason!: EnvelopeReason | null;
  depth!: number;
  /** The envelope whose run caused this one. */
  causationId!: string | null;
  /** The run that caused this one; null if none did, or if it is no longer kept. */
  causedBy!: CausingRunDto | null;
  emittedAt!: string;
}

export class EnvelopeDetailDto extends EnvelopeDto {
  idempotencyKey!: string | null;
  /** The user on whose behalf the event was emitted. */
  actorUserId!: string | null;
  /** The envelope whose run caused this one. */
  causationId!: string | null;
  /** The run that caused this one. */
  causationRunId!: string | null;
  lastError!: string | null;
  /** The latest 50, newest first. */
  generations!: EnvelopeGenerationDto[];
  /** The events of the same first emission, oldest first; at most 200. */
  causation!: CausationNodeDto[];
}
