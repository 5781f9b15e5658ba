import { Injectable } from '@nestjs/common';
import type { Sql } from '../../infra/database/rows.ts';
import type { EnvelopeEntity } from '../records/envelope.entity.ts';
import { PayloadSchemasService } from '../catalog/payload-schemas.service.ts';
import { listRegisteredEvents } from '../catalog/registered-events.store.ts';

export type Checked = Pick<EnvelopeEntity, 'id' | 'applicationId' | 'event' | 'payload' | 'erasure'>;

/** Why an envelope cannot be replayed. */
export interface Refusal {
  id: string;
  /** Whether it is not for its payload: its event is not registered at present, or there is nothing left to check. */
  retired: boolean;
  problems: string[];
}

export const ERASED = 'The payload of the envelope was erased, so it cannot be replayed';

/** Whether envelopes can be dispatched again. */
@Injectable()
export class ReplayChecksService {
  constructor(private readonly schemas: PayloadSchemasService) {}

  /**
   * Returns what is wrong with envelopes whose payload was erased, whose event is not registered, or whose payload violates
   * its current schema.
   */
  async check(sql: Sql, envelopes: readonly Checked[]): Promise<Refusal[]> {
    const keys = new Map(
      envelopes.map(({ applicationId, event: name }) => [
        `${applicationId}/${name}`,
        { applicationId, name },
      ]),
    );
    const registered = new Map(
      (await listRegisteredEvents(sql, [...keys.values()])).map((event) => [
        `${event.applicationId}/${event.name}`,
        event,
      ]),
    );
    return envelopes.flatMap(({ id, applicationId, event, payload, erasure }) => {
      if (erasure !== null) return { id, retired: true, problems: [ERASED] };
      const current = registered.get(`${applicationId}/${event}`);
      if (current === undefined)
        return { id, retired: true, problems: [`The event ${event} is not registered at present`] };
      const problems = this.schemas.validate(current.payloadSchema, current.schemaHash, payload);
      return problems.length === 0 ? [] : { id, retired: false, problems };
    });
  }
}
