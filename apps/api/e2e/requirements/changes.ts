export const changes = {
  'changes.stream': {
    source: 'design console, one clock, one feed',
    behavior:
      'One stream tells what changes in the space: runs, envelopes, bulk work, jobs, turns, agents, tasks, tools, documents, questions',
  },
  'changes.permissions': {
    source: 'design console, one clock, one feed; contract §2',
    behavior:
      "A stream tells only of what its caller may list: no runs of others, no restricted agents, no one else's jobs and turns, nothing of other spaces, and within the scopes of a key",
  },
  'changes.resume': {
    source: 'design console, one clock, one feed',
    behavior:
      'With Last-Event-ID a stream tells everything since, in any process; a position that is old or foreign is a reset',
  },
  'changes.bounded': {
    source: 'design console, one clock, one feed',
    behavior: 'Of a kind that changes often, a stream tells only that it changes',
  },
  'changes.quiet': {
    source: 'design console, one clock, one feed',
    behavior: 'Without a reader nothing is read, and emitting and running write no changes',
  },
  'bulk.same': {
    source: 'design console, a tray of work in progress',
    behavior:
      'Beginning the same bulk work while it runs is a 409 with its id, also for two requests at once; a preview names it, and alongside begins it nevertheless',
  },
} as const;
