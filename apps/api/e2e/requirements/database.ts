export const database = {
  'database.ids': {
    source: 'contract §1',
    behavior: 'Ids are UUIDv7 made by the database; those of one server sort by the time they were made',
  },
  'database.plans': {
    source: 'issue: Speed',
    behavior: 'PostgreSQL plans the prepared statements of requests a few times, and then keeps their plans',
  },
  'database.transactions': {
    source: 'issue: Speed',
    behavior:
      'A transaction whose first statement does not wait for BEGIN is undone as a whole; if BEGIN fails, nothing after ' +
      'that statement is executed',
  },
} as const;
