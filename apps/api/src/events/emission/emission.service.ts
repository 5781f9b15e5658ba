import { Injectable } from '@nestjs/common';
import type {
  EmitRequest,
  EmitResponse,
  EmitStep,
  EventSource,
  TestEmissionRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import type { ApplicationPrincipal, UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { joinProblems } from '../../infra/errors/error-message.ts';
import { forbidden, invalidFor, notFound, unavailable } from '../../infra/errors/app-error.ts';
import { hashJson } from '../../infra/runtime/json.ts';
import { settleInTurns, valueOf } from '../../infra/runtime/settled.ts';
import type { ActionContext } from '../../tasks/definition/action.registry.ts';
import type { Lineage } from '../../tasks/runs/lineage.ts';
import { RunLineageService } from '../../tasks/runs/run-lineage.service.ts';
import { EmissionLimitsService } from './emission-limits.service.ts';
import { EmissionRecorderService, type RecordedEmission } from './emission-recorder.service.ts';
import { hashKey, toIdempotencyKey } from './idempotency-key.ts';
import { guardLoop } from './loop-guard.ts';
import { payloadProblem } from '../catalog/payload-limits.ts';
import type { NewEnvelope } from './emission.store.ts';
import {
  cacheKey,
  RegisteredEventsService,
  type RegisteredEvent,
} from '../catalog/registered-events.service.ts';

/** An emission of an installed application. */
interface NewEmission {
  spaceId: string;
  applicationId: string;
  /** For messages. */
  identifier: string;
  event: string;
  payload: Record<string, unknown>;
  idempotencyKey: string | null;
  keyHash: Buffer | null;
  source: EventSource;
  actorUserId: string | null;
  causationRunId: string | null;
}

/** An event that a data write emits in its own transaction. */
export interface DataEvent {
  spaceId: string;
  applicationId: string;
  event: string;
  payload: Record<string, unknown>;
  actorUserId: string | null;
  causationRunId: string | null;
  /** Default: datasource. */
  source?: EventSource;
}

/** How often an emission is checked again because the application is being upgraded. */
const MAX_CHECKS = 5;

/** Emits events: checks them and records envelopes, which are dispatched later. */
@Injectable()
export class EmissionService {
  constructor(
    private readonly database: Database,
    private readonly applications: ApplicationIdentitiesService,
    private readonly lineage: RunLineageService,
    private readonly events: RegisteredEventsService,
    private readonly recorder: EmissionRecorderService,
    private readonly limits: EmissionLimitsService,
  ) {}

  /** Emits an event of the calling application. A repeated key returns the first envelope and records nothing. */
  async emit(principal: ApplicationPrincipal, request: EmitRequest): Promise<EmitResponse> {
    return toResponse(await this.record(await this.admit(principal, request)));
  }

  /**
   * Emits events of the calling application, each as if alone; those that are valid are recorded in one statement. `read`
   * returns the request of an item, or throws.
   */
  async emitAll<Item>(
    principal: ApplicationPrincipal,
    items: readonly Item[],
    read: (item: Item) => Promise<EmitRequest>,
  ): Promise<PromiseSettledResult<EmitResponse>[]> {
    const lineage = await this.lineage.find(this.database, principal);
    const checked = await settleInTurns(items, async (item) => {
      const emission = await this.admit(principal, await read(item));
      return { emission, envelope: await this.check(emission, lineage) };
    });
    const envelopes = checked.flatMap((check) =>
      check.status === 'fulfilled' ? [check.value.envelope] : [],
    );
    const results = await this.recorder.recordAll(envelopes);
    const resultOf = new Map(envelopes.map((envelope, i) => [envelope, results[i]]));
    return Promise.allSettled(
      checked.map(async (check) => {
        const { emission, envelope } = valueOf(check);
        const result = resultOf.get(envelope);
        const recording = result && valueOf(result);
        return toResponse(recording ?? (await this.record(emission)));
      }),
    );
  }

  /** Emits an event of an application by hand, once per key. */
  async emitTest(
    { spaceId, userId, causationRunId }: UserPrincipal,
    identifier: string,
    event: string,
    { payload, idempotencyKey = null }: TestEmissionRequest,
  ): Promise<EmitResponse> {
    this.limits.countEmissions(spaceId, 1);
    const applicationId = await this.getInstalled(this.database, spaceId, identifier);
    return toResponse(
      await this.record({
        spaceId,
        applicationId,
        identifier,
        event,
        payload,
        causationRunId,
        idempotencyKey,
        keyHash: idempotencyKey === null ? null : hashKey('test', idempotencyKey),
        source: 'system',
        actorUserId: userId,
      }),
    );
  }

  /**
   * Emits the event of a step as the owner of its task, once per key. Without one, all attempts of the run share a key: what
   * an attempt has emitted, no other emits again.
   */
  async emitFromRun(context: ActionContext<EmitStep>): Promise<RecordedEmission> {
    const { owner, runId, spaceId, step, effectKey } = context;
    const { applicationIdentifier: identifier, event, payload } = step;
    this.limits.countEmissions(spaceId, 1);
    const idempotencyKey = toIdempotencyKey(step.idempotencyKey);
    const applicationId = await this.getInstalled(this.database, spaceId, identifier);
    return this.record({
      spaceId,
      applicationId,
      identifier,
      event,
      payload,
      causationRunId: runId,
      idempotencyKey,
      keyHash: idempotencyKey === null ? hashKey('step', effectKey) : hashKey('application', idempotencyKey),
      source: 'app',
      actorUserId: owner.userId,
    });
  }

  /**
   * Throws RATE_LIMITED or QUOTA_EXCEEDED if the space has emitted as many events, or stores as many bytes of them, as it may.
   * Data writes call it before their transaction.
   */
  async countEmissions(spaceId: string, count: number, bytes: number): Promise<void> {
    this.limits.countEmissions(spaceId, count);
    await this.limits.take(spaceId, bytes);
  }

  /**
   * Records the events of a data write in its transaction, and returns the ids of their envelopes in the same order. A payload
   * that violates the schema is recorded too, as FAILED: the row is written anyway, and the log shows why nothing ran.
   */
  async emitWithin(tx: EntityManager, events: readonly DataEvent[]): Promise<string[]> {
    const keys = events.map(({ applicationId, event }) => ({ applicationId, name: event }));
    const registered = await this.events.list(tx, uniqueBy(keys, cacheKey));
    const lineages = new Map<string, Lineage | null>();
    for (const event of uniqueBy(events, ({ causationRunId }) => causationRunId ?? ''))
      lineages.set(event.causationRunId ?? '', await this.lineage.find(tx, event));
    const envelopes = events.map((written): NewEnvelope => {
      const event = registered.get(cacheKey({ applicationId: written.applicationId, name: written.event }));
      if (event === undefined) throw notFound(`The event ${written.event} is not registered`);
      const { reason, ...causation } = guardLoop(lineages.get(written.causationRunId ?? '') ?? null, event);
      const payload = JSON.stringify(written.payload);
      const problems = this.findProblems(event, written.payload, payload);
      const statusReason = problems === null ? reason : 'PAYLOAD_SCHEMA';
      return {
        ...written,
        ...causation,
        payload,
        payloadHash: NO_HASH,
        idempotencyKey: null,
        keyHash: null,
        source: written.source ?? 'datasource',
        schemaHash: event.schemaHash,
        recursionLimit: event.recursionLimit,
        status: problems ? 'FAILED' : reason ? 'SKIPPED' : 'PENDING',
        statusReason,
        lastError: problems,
      };
    });
    return this.recorder.recordWithin(tx, envelopes);
  }

  /** Publishes the hints of envelopes after the commit that recorded them. Never rejects. */
  async publish(ids: readonly string[]): Promise<void> {
    await this.recorder.publish(ids);
  }

  /** Throws NOT_FOUND if the application is not installed, or has no such event. */
  async getRegistered(
    sql: Sql,
    spaceId: string,
    identifier: string,
    event: string,
  ): Promise<RegisteredEvent> {
    const applicationId = await this.getInstalled(sql, spaceId, identifier);
    const found = await this.events.find({ applicationId, name: event });
    if (found === null) throw notRegistered(identifier, event);
    return found;
  }

  private async record(emission: NewEmission): Promise<RecordedEmission> {
    const lineage = await this.lineage.find(this.database, emission);
    for (let checks = 0; checks < MAX_CHECKS; checks++) {
      const recording = await this.recorder.record(await this.check(emission, lineage, checks > 0));
      if (recording !== null) return recording;
    }
    throw unavailable(`The application ${emission.identifier} is being upgraded; try again`, {
      retryAfter: 1,
    });
  }

  /** Returns the emission of an application that may make it. */
  private async admit(
    { spaceId, applicationId, identifier, causationRunId, isInstalled }: ApplicationPrincipal,
    { appIdentifier, event, payload, idempotencyKey = null }: EmitRequest,
  ): Promise<NewEmission> {
    if (appIdentifier !== identifier) throw await this.refuseOther(spaceId, appIdentifier);
    if (!isInstalled) throw notInstalled(identifier);
    return {
      spaceId,
      applicationId,
      identifier,
      event,
      payload,
      idempotencyKey,
      causationRunId,
      keyHash: idempotencyKey === null ? null : hashKey('application', idempotencyKey),
      source: 'app',
      actorUserId: null,
    };
  }

  /** Returns the envelope of an emission that is registered and valid. */
  private async check(emission: NewEmission, lineage: Lineage | null, again = false): Promise<NewEnvelope> {
    const payload = JSON.stringify(emission.payload);
    const problem = payloadProblem(emission.payload, payload);
    if (problem !== null) throw invalidFor([problem]);
    const event = await this.getEvent(emission, again);
    const { reason, ...causation } = guardLoop(lineage, event);
    if (!again) await this.takeRoom(emission, Buffer.byteLength(payload));
    return {
      ...emission,
      payload,
      payloadHash: emission.keyHash === null ? NO_HASH : hashJson(emission.payload),
      schemaHash: event.schemaHash,
      recursionLimit: event.recursionLimit,
      ...causation,
      status: reason === null ? 'PENDING' : 'SKIPPED',
      statusReason: reason,
      lastError: null,
    };
  }

  /** Throws QUOTA_EXCEEDED, unless the emission repeats one that was recorded. */
  private async takeRoom(emission: NewEmission, bytes: number): Promise<void> {
    try {
      await this.limits.take(emission.spaceId, bytes);
    } catch (error) {
      if (!(await this.recorder.isRecorded(emission))) throw error;
    }
  }

  /** Returns the event of an emission whose payload satisfies the schema. What was cached refuses nothing. */
  private async getEvent(emission: NewEmission, again: boolean): Promise<RegisteredEvent> {
    const { spaceId, applicationId, identifier, event: name } = emission;
    const cached = again ? null : this.events.findCached({ applicationId, name });
    if (cached !== null && this.events.validate(cached, emission.payload).length === 0) return cached;
    const event = await this.events.find({ applicationId, name });
    if (event === null) {
      await this.getInstalled(this.database, spaceId, identifier);
      throw notRegistered(identifier, name);
    }
    const problems = this.events.validate(event, emission.payload);
    if (problems.length > 0) throw invalidFor(problems);
    return event;
  }

  private findProblems(
    event: RegisteredEvent,
    payload: Record<string, unknown>,
    json: string,
  ): string | null {
    const tooLarge = payloadProblem(payload, json);
    const problems = tooLarge === null ? this.events.validate(event, payload) : [tooLarge];
    return problems.length === 0 ? null : joinProblems(problems);
  }

  private async getInstalled(sql: Sql, spaceId: string, identifier: string): Promise<string> {
    const application = await this.applications.find(sql, spaceId, identifier);
    if (!application?.installed) throw notInstalled(identifier);
    return application.id;
  }

  /** Whether another application is installed is known to everyone in the space. */
  private async refuseOther(spaceId: string, identifier: string) {
    await this.getInstalled(this.database, spaceId, identifier);
    return forbidden(
      `The key does not belong to the application ${identifier}: it may only emit its own events`,
    );
  }
}

const NO_HASH = Buffer.alloc(0);

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

function toResponse({
  envelopeId,
  status,
  duplicate,
  samePayload,
  emittedAt,
}: RecordedEmission): EmitResponse {
  return { envelopeId, status, duplicate, samePayload, emittedAt: emittedAt.toISOString() };
}

function notInstalled(identifier: string) {
  return notFound(`The application ${identifier} is not installed in this space`);
}

function notRegistered(identifier: string, event: string) {
  return notFound(`The event ${event} is not registered by the application ${identifier}`);
}
