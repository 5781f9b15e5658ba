import type { QueryRunner } from 'typeorm';

/** Executes a statement of a migration with `transaction = false` in a transaction of its own, which bounds its wait for locks. */
export async function execute(db: QueryRunner, statement: string): Promise<void> {
  await db.manager.transaction((tx) => tx.query(statement));
}

/**
 * Creates an index of a partitioned table one partition after another, so that writes wait for one build at most. For
 * migrations with `transaction = false`: what an interrupted one has created is kept.
 */
export async function createPartitionedIndex(
  db: QueryRunner,
  name: string,
  table: string,
  definition: string,
): Promise<void> {
  await execute(db, `create index if not exists ${name} on only ${table} ${definition}`);
  const partitions = (await db.query(
    `select c.relname as partition from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1) and not i.inhdetachpending
       and not exists (
         select from pg_index x join pg_inherits p on p.inhrelid = x.indexrelid
         where x.indrelid = c.oid and p.inhparent = to_regclass($2))
     order by c.relname`,
    [table, name],
  )) as { partition: string }[];
  for (const { partition } of partitions) {
    const own = `${partition}_${name}`;
    await execute(db, `create index if not exists ${own} on ${partition} ${definition}`);
    await execute(db, `alter index ${name} attach partition ${own}`);
  }
}
