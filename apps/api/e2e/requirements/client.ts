export const client = {
  'client.inbox': {
    source: 'workflows: What people see and do',
    behavior: 'The client lists and answers questions, and waits for runs',
  },
  'client.chat': {
    source: 'spec: Client library methods; Events',
    behavior:
      'chatStream projects the frames to product events in their order; chat gives the same as one answer',
  },
  'client.execute': {
    source: 'spec: Client library methods; Execute',
    behavior: 'execute answers with time and usage; executeStream reads the same as a stream',
  },
  'client.resume': {
    source: 'spec: Resume; Pending interactions',
    behavior:
      'A question is found in its stream and among the pending; resume reads on; the same answer again is the same stream',
  },
  'client.cancel': {
    source: 'spec: Cancel turn',
    behavior: 'cancel stops a running turn; its stream ends as cancelled with what was said',
  },
  'client.local-tools': {
    source: 'spec: Authentication; turns: Tools in a turn',
    behavior:
      'Registered and authorised local tools run once, in a stream that was started or resumed here, and nowhere else',
  },
  'client.jobs': {
    source: 'spec: Asynchronous agent job; Client library methods',
    behavior:
      'invokeAsync takes a timeout and an idempotency key, tells phase and progress, waits by polling, cancels nothing',
  },
  'client.context': {
    source: 'spec: Context status and compaction',
    behavior: 'Status, compaction, its dry run and its undo of one session',
  },
  'client.reattach': {
    source: 'spec: Stream protocol; contract §4, Streams',
    behavior: 'A stream whose connection is cut attaches again; no frame is missed and none comes twice',
  },
  'client.errors': {
    source: 'spec: Errors; Events',
    behavior: 'Errors carry status, code, request id, turn id and the last valid seq',
  },
  'client.attachment': {
    source: 'contract §4',
    behavior: 'The bytes of what was sent in a session are read with the caller’s credential',
  },
  'client.people': {
    source: 'contract §2',
    behavior:
      'The client library invites, accepts, declines, withdraws, appoints, and revokes keys with a password',
  },
  'client.events': {
    source: 'issue 8; spec: Event subscription management',
    behavior:
      'The client library subscribes, previews filters, reads the log and runs, replays, and writes rows',
  },
  'client.emit': {
    source: 'spec: Emit an event',
    behavior:
      'emitManagedEvent emits with the system key; with an idempotency key it repeats a lost call, and one envelope is recorded',
  },
  'client.emit-batch': {
    source: 'events.md, batch',
    behavior:
      'The client emits batches, and collects single emissions into batches if asked to: each settles with its own outcome',
  },
  'client.readme': {
    source: 'issue 19',
    behavior:
      'Every example of the README runs against a service from the packed package alone: as ES modules, as CommonJS, and bundled for a browser',
    onlySlow:
      'Builds, packs, installs, and bundles; npm test compiles the same examples from the same package',
  },
  'client.applications': {
    source: 'issue 8',
    behavior: 'The client library installs, upgrades, and uninstalls applications and rotates their keys',
  },
} as const;
