import { Injectable } from '@nestjs/common';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { columnsOf, toEntities } from './entity-rows.ts';
import { preparedRows } from './rows.ts';

/** What nearly every request reads before anything else, such as its credential, by prepared statements that only read. */
@Injectable()
export class Lookups {
  constructor(private readonly database: DataSource) {}

  /** `name` belongs to this statement alone. */
  rows<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return preparedRows<Row>(this.database, name, text, values);
  }

  /** Like `rows`: the first row, or null. */
  async firstRow<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row | null> {
    const [row] = await this.rows<Row>(name, text, values);
    return row ?? null;
  }

  /** The columns of an entity, for a statement whose rows `toEntities` reads. */
  columnsOf<Entity extends ObjectLiteral>(target: EntityTarget<Entity>): string {
    return columnsOf(this.database, target);
  }

  /** Reads entities from rows that contain every column of their table. */
  toEntities<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    rows: readonly ObjectLiteral[],
  ): Entity[] {
    return toEntities(this.database, target, rows);
  }
}
