import { Injectable } from '@nestjs/common';
import type { EmitResponse, EnvelopeReason } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { pipelinedLast } from '../../infra/database/rows.ts';
import { isRejected } from '../../infra/database/data-errors.ts';
import { isLockTimeout, isUnavailable } from '../../infra/database/unavailable.ts';
import { unavailable } from '../../infra/errors/app-error.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { EmissionBatches } from './emission-batches.ts';
import {
  hasEnvelope,
  listKeyHolders,
  recordEnvelopes,
  type KeyHolder,
  type NewEnvelope,
  type RecordedRow,
} from './emission.store.ts';
import { eventFailpoint } from '../records/event-failpoints.ts';

/** How many envelopes one hint stands for. */
const HINTED = 64;
const MAX_BATCH_SIZE = 1_000_000;

/** A recorded emission, or the first one with the same key. */
export interface RecordedEmission extends Omit<EmitResponse, 'emittedAt'> {
  statusReason: EnvelopeReason | null;
  emittedAt: Date;
}

/** Null: the event has changed since the emission was checked, so nothing was recorded. */
export type Recording = RecordedEmission | null;

type EmissionKey = Pick<NewEnvelope, 'applicationId' | 'event' | 'keyHash'>;

interface Committed {
  recording: Recording;
  published: Promise<void>;
}

/** Records emissions in batches, each in one transaction. Nothing else happens in it that could fail or wait. */
@Injectable()
export class EmissionRecorderService {
  private readonly batches = new EmissionBatches<NewEnvelope, Committed>({
    write: (envelopes) => this.write(envelopes),
    compare,
    sizeOf: ({ payload }) => payload.length,
    // After a lock timeout, somebody else is storing one of the keys and does not finish.
    isSeparable: (error) => isRejected(error) || isLockTimeout(error),
  });

  constructor(
    private readonly database: Database,
    private readonly messaging: Messaging,
  ) {}

  /** Resolves after the commit and the hint. Throws UNAVAILABLE if it is not known whether the emission was recorded. */
  async record(envelope: NewEnvelope): Promise<Recording> {
    try {
      const { recording, published } = await this.batches.add(envelope);
      await published;
      eventFailpoint('events.emit.before-response');
      return recording;
    } catch (error) {
      throw unknownOutcome(error);
    }
  }

  /** The same for envelopes that one statement stores. Each has its own outcome. */
  async recordAll(envelopes: readonly NewEnvelope[]): Promise<PromiseSettledResult<Recording>[]> {
    const results = await this.batches.addAll(envelopes);
    for (const result of results) if (result.status === 'fulfilled') await result.value.published;
    eventFailpoint('events.emit.before-response');
    return results.map((result) =>
      result.status === 'fulfilled'
        ? { status: 'fulfilled', value: result.value.recording }
        : { status: 'rejected', reason: unknownOutcome(result.reason) },
    );
  }

  /** Whether the key of an emission refers to an envelope. */
  async isRecorded(emission: EmissionKey): Promise<boolean> {
    if (emission.keyHash === null) return false;
    return (await listKeyHolders(this.database, [emission])).length > 0;
  }

  /** Records envelopes in the transaction of the caller. Returns their ids, in the same order. */
  async recordWithin(tx: EntityManager, envelopes: readonly NewEnvelope[]): Promise<string[]> {
    const ids: string[] = [];
    for (const batch of inBatches(envelopes)) {
      const rows = await recordEnvelopes(tx, batch, this.messaging.pace.republishAfterMs);
      // The caller has read the events in this transaction; in the meantime, the application was upgraded.
      if (rows.some(({ emittedAt }) => emittedAt === null)) throw unavailable('Try again', { retryAfter: 1 });
      ids.push(...rows.map(({ id }) => id));
    }
    return ids;
  }

  /** Publishes hints for recorded envelopes. Never rejects: lost hints are published again. */
  async publish(ids: readonly string[]): Promise<void> {
    // One hint for many: whoever gets it claims every envelope that waits.
    await this.messaging.publish(
      'envelope',
      ids.filter((_, i) => i % HINTED === 0),
    );
  }

  private async write(envelopes: readonly NewEnvelope[]): Promise<Committed[]> {
    const isNew = ({ emittedAt }: RecordedRow) => emittedAt !== null;
    // Its statement is complete by itself, and `hasEnvelope` finds what it has stored: all or none.
    const rows = await this.database.transaction((tx) => this.insert(tx, envelopes), {
      committed: async (stored) => {
        const recorded = stored.find(isNew);
        return recorded === undefined || hasEnvelope(this.database, recorded.id);
      },
    });
    eventFailpoint('events.emit.after-commit');
    const taken = envelopes.filter((_, i) => rows[i]?.isCurrent && rows[i].emittedAt === null);
    const holders = taken.length === 0 ? [] : await listKeyHolders(this.database, taken);
    const recordings = envelopes.map((envelope, i): Recording => {
      const row = rows[i];
      if (row?.emittedAt) return newRecording(envelope, row.id, row.emittedAt);
      const holder = holders.find((candidate) => isKeyOf(candidate, envelope));
      return row?.isCurrent && holder !== undefined ? repeatedRecording(envelope, holder) : null;
    });
    const hint = rows.find((row, i) => isNew(row) && envelopes[i]?.status === 'PENDING')?.id ?? null;
    // The callers wait for the hint, which can take 300 ms; the next batch does not.
    const published = hint === null ? Promise.resolve() : this.publish([hint]);
    return recordings.map((recording) => ({ recording, published }));
  }

  private async insert(tx: EntityManager, envelopes: readonly NewEnvelope[]): Promise<RecordedRow[]> {
    eventFailpoint('events.emit.before-commit');
    const [rows] = await pipelinedLast(
      tx,
      recordEnvelopes(tx, envelopes, this.messaging.pace.republishAfterMs),
    );
    return rows;
  }
}

function newRecording({ status, statusReason }: NewEnvelope, id: string, emittedAt: Date): RecordedEmission {
  return { envelopeId: id, status, statusReason, duplicate: false, samePayload: true, emittedAt };
}

function repeatedRecording({ payloadHash }: NewEnvelope, holder: KeyHolder): RecordedEmission {
  const { id, status, statusReason, emittedAt } = holder;
  const samePayload = holder.payloadHash.equals(payloadHash);
  return { envelopeId: id, status, statusReason, duplicate: true, samePayload, emittedAt };
}

function isKeyOf(holder: KeyHolder, { applicationId, event, keyHash }: NewEnvelope): boolean {
  return (
    holder.applicationId === applicationId &&
    holder.event === event &&
    keyHash !== null &&
    holder.keyHash.equals(keyHash)
  );
}

/** By key, so that two batches with the same keys wait for each other in one direction only. */
function compare(a: NewEnvelope, b: NewEnvelope): number {
  return (
    compareTexts(a.applicationId, b.applicationId) ||
    compareTexts(a.event, b.event) ||
    Buffer.compare(a.keyHash ?? NO_KEY, b.keyHash ?? NO_KEY)
  );
}

/** Batches of at most a million characters, or one envelope that is larger. */
function* inBatches(envelopes: readonly NewEnvelope[]): Generator<NewEnvelope[]> {
  let batch: NewEnvelope[] = [];
  let size = 0;
  for (const envelope of envelopes) {
    if (batch.length > 0 && size + envelope.payload.length > MAX_BATCH_SIZE) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(envelope);
    size += envelope.payload.length;
  }
  if (batch.length > 0) yield batch;
}

const NO_KEY = Buffer.alloc(0);

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function unknownOutcome(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  const message = 'The event may have been recorded; send it again with the same idempotencyKey';
  return unavailable(message, { retryAfter: 2, cause: error });
}
