import { Injectable } from '@nestjs/common';
import type { Trigger } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, forbidden } from '../../infra/errors/app-error.ts';
import { RunSummariesService } from '../../tasks/history/run-summaries.service.ts';
import { triggerOf } from '../dispatch/matching.ts';
import { getEnvelope } from '../records/envelopes.store.ts';
import { listDeliveries } from './envelope-detail.store.ts';

/** So many of the latest runs of an envelope can show that a member may read it. */
const MAX_RUNS = 1_000;

/** The events with which tasks are tested. */
@Injectable()
export class EnvelopeTriggersService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunSummariesService,
  ) {}

  /**
   * Returns the trigger of the runs of an envelope, with an empty payload. Admins can take every envelope of their space, others
   * those whose payload a run of theirs has shown them.
   */
  async get(by: UserPrincipal, id: string): Promise<Trigger> {
    const envelope = await getEnvelope(this.database.manager, by.spaceId, id);
    if (by.role !== 'ADMIN' && !(await this.hasRunOf(by, id)))
      throw forbidden(`Envelope ${id} has started no run of yours: only admins can test with it`);
    if (envelope.erasure !== null)
      throw conflict(`The payload of envelope ${id} was erased, so no task can be tested with it`);
    const { event, ...trigger } = triggerOf(envelope);
    return { event, payload: {}, ...trigger };
  }

  private async hasRunOf({ spaceId, userId }: UserPrincipal, id: string): Promise<boolean> {
    const { manager } = this.database;
    const runIds = (await listDeliveries(manager, id, 0, MAX_RUNS)).flatMap(({ runId }) => runId ?? []);
    const runs = await this.runs.find(manager, spaceId, runIds);
    return [...runs.values()].some(({ ownerUserId }) => ownerUserId === userId);
  }
}
