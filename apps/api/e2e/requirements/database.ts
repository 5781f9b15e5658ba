export const database = {
  'database.ids': {
    source: 'contract §1',
    behavior: 'Ids are UUIDv7 made by the database; those of one server sort by the time they were made',
  },
} as const;
