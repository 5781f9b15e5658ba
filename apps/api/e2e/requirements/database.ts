export const database = {
  'database.ids': {
    source: 'contract §1',
    behavior: 'Ids are UUIDv7 made by the database; those of one server sort by the time they were made',
  },
  'database.plans': {
    source: 'issue: Speed',
    behavior: 'PostgreSQL plans the prepared statements of requests a few times, and then keeps their plans',
  },
  'database.kept-plans': {
    source: 'quality: Performance',
    behavior:
      'Statements that keep their plan look up rows by their keys, also if the plan was made for a table with few rows',
  },
  'database.transactions': {
    source: 'issue: Speed',
    behavior:
      'A transaction is undone as a whole; if BEGIN fails, nothing is executed but the prepared statements that were sent ' +
      'with it; a missing partition is created, and the work repeated',
  },
  'database.row-locks': {
    source: 'issue: The house',
    behavior: 'No statement that locks rows prunes partitions as it executes, which crashes PostgreSQL 18.4',
  },
  'database.migrations': {
    source: 'quality: Process',
    behavior: 'A migration that waits for a table lets others use it within seconds, and is repeated',
  },
  'database.queues': {
    source: 'issue: Automations',
    behavior:
      'The table of a busy queue is vacuumed within seconds, and not again and again while an old transaction keeps its dead rows',
  },
  'database.poolers': {
    source: 'decision 31',
    behavior:
      'The service works behind a PgBouncer with plain settings: no startup parameters, and nothing that outlives a transaction',
    onlySlow: 'It needs another program, which is installed for the slow tier',
  },
} as const;
