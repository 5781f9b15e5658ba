import { Injectable } from '@nestjs/common';
import type { StorageKind } from '@platform/contracts';
import type { Sql } from '../infra/database/rows.ts';

/** What one table of an application, or one of its events, takes. */
interface MeasuredTable {
  /** Null: it belongs to the space. */
  applicationId: string | null;
  name: string;
  count: number;
  bytes: number;
}

export interface Measurement {
  /** What was stored later is not counted. */
  measuredAt: Date;
  tables: MeasuredTable[];
}

type Measure = (sql: Sql, spaceId: string) => Promise<Measurement>;

/** How later modules measure what they store of a space. Measuring must not read what is stored. */
@Injectable()
export class StorageRegistry {
  private readonly measures = new Map<StorageKind, Measure>();

  /** To be called in `onModuleInit`. */
  register(kind: StorageKind, measure: Measure): void {
    this.measures.set(kind, measure);
  }

  get kinds(): StorageKind[] {
    return [...this.measures.keys()];
  }

  async measure(sql: Sql, spaceId: string, kind: StorageKind): Promise<Measurement> {
    const measure = this.measures.get(kind);
    if (!measure) throw new Error(`Nothing measures ${kind}`);
    return measure(sql, spaceId);
  }
}
