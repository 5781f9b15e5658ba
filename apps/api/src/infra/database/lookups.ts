import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { PlatformConfig } from '../config/platform-config.ts';
import { columnsOf, toEntities } from './entity-rows.ts';
import { Connection, poolOptions } from './pools.ts';

/**
 * What nearly every request reads before anything else, such as its credential. These statements share a connection, so that
 * none waits for a place in a pool, and those of one turn of the event loop are sent together. They are prepared, only read,
 * by indexes, and take no locks, because others wait behind them.
 */
@Injectable()
export class Lookups implements OnApplicationShutdown {
  private connection: Connection | null = null;
  private connecting: Promise<Connection> | null = null;

  constructor(
    private readonly database: DataSource,
    private readonly config: PlatformConfig,
  ) {}

  /** `name` belongs to this statement alone. */
  async rows<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const connection = this.connection ?? (await this.connect());
    return (await connection.query<Row>({ name, text, values })).rows;
  }

  /** Like `rows`: the first row, or null. */
  async firstRow<Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<Row | null> {
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

  async onApplicationShutdown(): Promise<void> {
    await this.connection?.end();
  }

  private connect(): Promise<Connection> {
    this.connecting ??= this.open().finally(() => (this.connecting = null));
    return this.connecting;
  }

  private async open(): Promise<Connection> {
    const { databaseUrl: connectionString, database } = this.config;
    const connection = new Connection({ connectionString, ...poolOptions('lookup', database) });
    // The next lookup opens another one.
    connection.once('end', () => {
      if (this.connection === connection) this.connection = null;
    });
    await connection.connect();
    this.connection = connection;
    return connection;
  }
}
