import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { Batched } from '../../infra/database/batched.ts';
import { isText } from '../../infra/requests/text.ts';
import { PayloadSchemasService } from './payload-schemas.service.ts';
import { listRegisteredEvents, type RegisteredEvent } from './registered-events.store.ts';

export type { RegisteredEvent };

const MAX_CACHED = 500;

interface EventKey {
  applicationId: string;
  name: string;
}

/**
 * The events that applications have registered. A cached one can be outdated: another process may have upgraded the
 * application. Whoever uses it has the database compare its schema hash in the statement that records the emission.
 */
@Injectable()
export class RegisteredEventsService {
  private readonly reads: Batched<EventKey, RegisteredEvent | null>;
  /** The most recently used last. */
  private readonly cached = new Map<string, RegisteredEvent>();

  constructor(
    database: Database,
    private readonly schemas: PayloadSchemasService,
  ) {
    this.reads = new Batched(async (keys) => {
      const found = new Map(
        (await listRegisteredEvents(database, keys)).map((event) => [cacheKey(event), event]),
      );
      return keys.map((key) => found.get(cacheKey(key)) ?? null);
    });
  }

  findCached(key: EventKey): RegisteredEvent | null {
    return this.cached.get(cacheKey(key)) ?? null;
  }

  /** Returns null if the event is not registered. */
  async find(key: EventKey): Promise<RegisteredEvent | null> {
    // The name can come from a path, which nobody has checked.
    const event = isText(key.name) ? await this.reads.get(key) : null;
    const id = cacheKey(key);
    this.cached.delete(id);
    if (event === null) return null;
    this.cached.set(id, event);
    const [oldest] = this.cached.keys();
    if (this.cached.size > MAX_CACHED && oldest !== undefined) this.cached.delete(oldest);
    return event;
  }

  /** Returns every problem of a payload, with its path; none if it satisfies the schema of the event. */
  validate({ payloadSchema, schemaHash }: RegisteredEvent, payload: Record<string, unknown>): string[] {
    return this.schemas.validate(payloadSchema, schemaHash, payload);
  }

  /** Reads events within a transaction, which stays correct whatever others commit. The keys of the map are `cacheKey`. */
  async list(tx: EntityManager, keys: readonly EventKey[]): Promise<Map<string, RegisteredEvent>> {
    const found = await listRegisteredEvents(tx, keys);
    return new Map(found.map((event) => [cacheKey(event), event]));
  }
}

export function cacheKey({ applicationId, name }: EventKey): string {
  return `${applicationId}/${name}`;
}
