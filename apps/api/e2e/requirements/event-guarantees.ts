/** What holds while processes die, messaging is away, and hints are lost or repeated; each is tested with the faults. */
export const eventGuarantees = {
  'event.guarantee.stored': {
    source: 'docs: guarantees of the event bus (G1)',
    behavior: 'A 2xx from emit means that the envelope is on disk',
  },
  'event.guarantee.single': {
    source: 'docs: guarantees of the event bus (G2)',
    behavior: 'There is at most one run per envelope, subscription, and generation',
  },
  'event.guarantee.complete': {
    source: 'docs: guarantees of the event bus (G3)',
    behavior: 'A DISPATCHED envelope has exactly matchedCount deliveries; a PENDING one is in the outbox',
  },
  'event.guarantee.key': {
    source: 'docs: guarantees of the event bus (G4)',
    behavior:
      'An idempotency key records one envelope per application and event, also concurrently and after a loss of Redis',
  },
  'event.guarantee.once': {
    source: 'docs: guarantees of the event bus (G5)',
    behavior:
      'The steps of a run start once, unless the task is retried; a result from a lost lease is discarded',
  },
  'event.guarantee.slots': {
    source: 'docs: guarantees of the event bus (G6)',
    behavior: 'The concurrency of a task holds while workers die',
  },
  'event.guarantee.outage': {
    source: 'docs: guarantees of the event bus (G7)',
    behavior:
      'An outage of messaging loses nothing and fails nothing; events wait as PENDING until it is over',
  },
  'event.redelivered': {
    source: 'spec: Event bus; docs: guarantees of the event bus',
    behavior: 'Hints that are repeated, late, or forged fire nothing',
  },
  'event.loop': {
    source: 'spec: Event bus; docs: guarantees of the event bus',
    behavior:
      'Loops of events are finite: a recurrence and a chain that is too deep are SKIPPED, with the reason',
  },
  'event.guarantee.changes': {
    source: 'events.md, everyone in the installation',
    behavior:
      'While processes die and are deployed, nothing starts after its task was disabled or deleted or its subscription disabled; nothing else is lost or doubled',
    onlySlow: 'kills and deploys processes; each change alone is tested in npm test',
  },
} as const;
