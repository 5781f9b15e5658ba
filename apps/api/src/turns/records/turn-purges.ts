import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { Sweeper } from '../../infra/sweeper.ts';
import { purgeCancelRequests } from './cancel-request.store.ts';

// Times are compared with statement_timestamp(): no index serves a comparison with a volatile function.
const BATCH = 1_000;
/** Sessions at a time: what was said in each is removed in a transaction of its own. */
const SESSIONS = 100;

/** Removes what turns leave behind and nobody may ask for any more, in batches. */
@Injectable()
export class TurnPurges implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly sweeper: Sweeper,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('cancel wishes', () => purgeCancelRequests(this.database));
    this.sweeper.register('local tool calls', () => purgeLocalToolCalls(this.database));
    this.sweeper.register('executions without memory', () => this.purgeExpiredSessions());
  }

  /** What was said in sessions whose time is over; the turns themselves stay, for the ledger names them. */
  async purgeExpiredSessions(): Promise<void> {
    let batch: { id: string }[];
    do {
      batch = await rows<{ id: string }>(
        this.database,
        `select id from session where expires_at < statement_timestamp() order by expires_at limit ${SESSIONS}`,
      );
      for (const { id } of batch) await this.database.transaction((tx) => purgeSession(tx, id));
    } while (batch.length === SESSIONS);
  }
}

async function purgeSession(tx: Sql, id: string): Promise<void> {
  const session = await firstRow<{ isOpen: boolean }>(
    tx,
    `select exists (select from turn where session_id = $1 and status = 'RUNNING')
       or exists (select from turn where session_id = $1 and status = 'QUEUED')
       or exists (select from turn where session_id = $1 and status = 'INPUT_REQUIRED') as "isOpen"
     from session where id = $1 for no key update`,
    [id],
  );
  if (session === null) return;
  if (session.isOpen) {
    await rows(tx, `update session set expires_at = clock_timestamp() + interval '1 day' where id = $1`, [
      id,
    ]);
    return;
  }
  const turns = 'select id from turn where session_id = $1';
  for (const table of ['turn_step', 'interaction', 'local_tool_call'])
    await rows(tx, `delete from ${table} where turn_id = any(array(${turns}))`, [id]);
  for (const table of ['attachment', 'context_page', 'context_compaction'])
    await rows(tx, `delete from ${table} where session_id = $1`, [id]);
  await rows(
    tx,
    `update turn set settings = json_build_object('source', source, 'chatMode', 'agent', 'interactive', false,
       'disableWebSearch', false, 'registeredLocalTools', '[]'::json, 'variables', '{}'::json)
     where session_id = $1`,
    [id],
  );
  await rows(
    tx,
    `update session set expires_at = null, title = '', deleted_at = coalesce(deleted_at, clock_timestamp())
     where id = $1`,
    [id],
  );
}

/** Calls whose answers nobody sends again. */
async function purgeLocalToolCalls(sql: Sql): Promise<void> {
  let gone: unknown[];
  do {
    gone = await rows(
      sql,
      `delete from local_tool_call where ctid = any(array(
         select ctid from local_tool_call where expires_at < statement_timestamp() - interval '7 days' limit ${BATCH}))
       returning turn_id`,
    );
  } while (gone.length === BATCH);
}
