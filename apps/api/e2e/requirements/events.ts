/** The catalog, subscriptions, the log of envelopes, replay, and the summary. */
export const eventManagement = {
  'events.catalog': {
    source: 'spec: Registered event, event bus events; contract §6',
    behavior:
      'The catalog lists the registered events by application, with their payload schemas, to every member',
  },
  'events.catalog.registered-only': {
    source: 'spec: Registered event; contract §6',
    behavior: 'Events come and go with their application; no route creates or edits one',
  },
  'subscriptions.lifecycle': {
    source: 'spec: Subscription; contract §6',
    behavior:
      'A subscription is created, listed by event, application and task, changed and deleted by admins',
  },
  'subscriptions.registered-events': {
    source: 'spec: Subscription; contract §6',
    behavior: 'An event that is not registered at present is a 404',
  },
  'subscriptions.event-tasks': {
    source: 'spec: Subscription; contract §6',
    behavior: 'A task that is not of type EVENT is a 400, and it keeps its type while it is subscribed: 409',
  },
  'subscriptions.own-space': {
    source: 'spec: rule 5, Subscription; contract §6',
    behavior: 'A task of another space is a 403, and the database rejects it too',
  },
  'subscriptions.toggle': {
    source: 'spec: Subscription; contract §6',
    behavior: 'Toggling keeps the subscription with its id, filter and origin',
  },
  'subscriptions.toggle.race': {
    source: 'spec: Subscription; events: faults F21',
    behavior: 'Once the call that disables a subscription has returned, nothing is delivered to it',
  },
  'subscriptions.debounce': {
    source: 'design: Debounce and batch',
    behavior:
      'With debounce, the last event of a key starts one run once none has come for windowMs; the others say so and name that run; the events of a bulk replay wait as well, one that is replayed alone does not',
  },
  'subscriptions.batch': {
    source: 'design: Debounce and batch',
    behavior:
      'With batch, the events of a key start one run together once maxItems are collected, windowMs after the first, or before they have too many bytes; they say so and name that run; those of a bulk replay are collected again, apart from others, one that is replayed alone is a batch of its own',
  },
  'subscriptions.batch.once': {
    source: 'design: Debounce and batch',
    behavior:
      'Each collected event is in exactly one run, in the order in which the events were recorded, however many processes dispatch and start batches, and wherever one fails',
  },
  'subscriptions.possible': {
    source: 'events.md: everyone in the installation',
    behavior:
      'A filter that no payload of the event can match is a 400 with the nearest name; the same subscription twice is a 409 that names the first',
  },
  'subscriptions.bounds': {
    source: 'quality: Security; design: Everyone in the installation',
    behavior: 'An event has at most 1,000 subscriptions: each dispatch reads and matches all of them',
  },
  'subscriptions.filter': {
    source: 'spec: Subscription; events: filter',
    behavior: 'A wrong filter is a 400 that names the field; null removes a filter',
  },
  'subscriptions.default': {
    source: 'spec: Subscription; events: applications',
    behavior:
      'Applications ship default subscriptions; switch, filter and deletion survive a new installation',
  },
  'subscriptions.survive': {
    source: 'spec: Subscription; contract §6',
    behavior: 'Subscriptions of the user survive uninstall and upgrade, and wait for the application',
  },
  'subscriptions.preview': {
    source: 'contract §6',
    behavior: 'A preview says which of the latest envelopes a filter would match, and which field failed',
  },
  'events.test-emission': {
    source: 'contract §6',
    behavior: 'An admin emits a test event, whose source is system',
  },
  'events.test-emission.idempotent': {
    source: 'contract §6; console: Load the sample shop',
    behavior:
      'A test emission with a key that an earlier one has used records nothing; keys of applications are others, and a search finds both',
  },
  'events.log': {
    source: 'spec: event bus events; contract §6',
    behavior: 'The log lists envelopes with status, event, payload and the number of matched subscriptions',
  },
  'events.log.filters': {
    source: 'spec: event bus events; contract §6',
    behavior: 'The log is filtered by status, event name, application and time',
  },
  'events.log.pages': {
    source: 'contract §1, §6',
    behavior: 'The log is read newest first by cursors, in pages whose bytes and work are bounded',
  },
  'events.log.outcomes': {
    source: 'events: honest outcomes',
    behavior:
      'The log shows how many deliveries of an envelope succeeded, failed, and wait, and is filtered by them',
  },
  'events.log.search': {
    source: 'quality: Performance',
    behavior:
      'Envelopes are found by idempotency key, and by a text in the payload; a search says what it has searched',
  },
  'events.log.indexes': {
    source: 'events: tables; issue: 5 million envelopes',
    behavior: 'No list of envelopes reads a whole table',
  },
  'events.detail': {
    source: 'contract §6',
    behavior:
      'An envelope shows its generations, the verdict per subscription, its runs and the causation chain',
  },
  'events.detail.as-of': {
    source: 'contract §6',
    behavior: 'Verdicts beyond the first 200 subscriptions are computed, and marked with the time',
  },
  'events.replay': {
    source: 'spec: envelope status, rule 6; contract §6',
    behavior:
      'An admin replays any recorded envelope: a new generation is dispatched, the old outcome is kept',
  },
  'events.replay.pending': {
    source: 'events: status transitions',
    behavior: 'A replay of a PENDING envelope returns the running generation',
  },
  'events.replay.key': {
    source: 'contract §6; events: faults F25',
    behavior: 'The same request key is one generation, also in parallel and after the dispatch',
  },
  'events.replay.once': {
    source: 'events: faults F25, F26',
    behavior:
      'Replays start each task once per generation: in parallel, during toggles, and when a dispatch fails',
  },
  'events.replay.schema': {
    source: 'contract §6',
    behavior: 'A replay validates the payload against the current schema first: 400',
  },
  'events.replay.retired': {
    source: 'contract §6',
    behavior: 'A replay of an event that is not registered at present is a 409',
  },
  'events.replay.limit': {
    source: 'design: Everyone in the installation, Replay',
    behavior:
      'A replay can be limited to subscriptions and to failed deliveries; what it leaves out says so, and fires in no process',
  },
  'events.bulk-replay.limit': {
    source: 'design: Everyone in the installation, Replay',
    behavior:
      'A bulk replay can be limited to subscriptions and to failed deliveries, and counts accordingly',
  },
  'events.bulk-replay': {
    source: 'contract §6',
    behavior: 'A bulk replay replays the envelopes of a query once each, and counts those it refuses',
  },
  'events.bulk-replay.fair': {
    source: 'design: Everyone in the installation',
    behavior: 'Spaces take turns in bulk work: any number of bulk replays of one keeps no other waiting',
  },
  'events.bulk-replay.preview': {
    source: 'contract §6',
    behavior: 'A preview counts the envelopes of a query before they are replayed',
  },
  'events.bulk-replay.rate': {
    source: 'contract §6',
    behavior: 'A bulk replay keeps its rate',
  },
  'events.bulk-replay.stop': {
    source: 'contract §6',
    behavior: 'A stopped bulk replay replays nothing more',
  },
  'events.bulk-replay.takeover': {
    source: 'events: dispatch; issue: several processes',
    behavior: 'Another worker continues a bulk replay whose worker died, and replays nothing twice',
  },
  'events.summary': {
    source: 'spec: event bus events; contract §6',
    behavior: 'The summary shows recent volume, success rate and top events; SKIPPED is counted separately',
  },
  'events.summary.success': {
    source: 'events: honest outcomes',
    behavior:
      'The success rate counts deliveries: runs that succeeded, of those that succeeded, failed, or were not started; the dispatch rate stands beside it',
  },
  'events.summary.late': {
    source: 'events: honest outcomes',
    behavior: 'Runs that end late, and retries, change the counts of the minute in which they were queued',
  },
  'events.summary.buckets': {
    source: 'contract §6',
    behavior: 'Buckets are aligned in UTC, and those without events are shown too',
  },
  'events.summary.counts': {
    source: 'events: tables',
    behavior:
      'Counts per minute are recomputed with the same result, however often and in however many processes',
  },
  'events.volume': {
    source: 'console: A picture above each list',
    behavior:
      'The envelopes of any time are counted by status in at most 120 whole buckets, of all events or those that the log selects, before and after they are counted',
  },
} as const;

/** From an emission to the runs that it starts. */
export const emissions = {
  'events.emit.recorded': {
    source: 'spec: Emit an event; contract §6',
    behavior: 'An emission is recorded before the response, which names its envelope, status, and time',
  },
  'events.emit.order': {
    source: 'spec: Emit an event; contract §6',
    behavior:
      'Not installed, another application, not registered, and an invalid payload are refused in this order: 404, 403, 404, 400',
  },
  'events.emit.schema': {
    source: 'spec: Emit an event; contract §6',
    behavior:
      'A payload that violates the schema is a 400 that names every failing path; nothing is recorded',
  },
  'events.emit.caller': {
    source: 'contract §2, §6',
    behavior: 'Only an application emits, only as itself, and it may call nothing else',
  },
  'values.numbers': {
    source: 'events.md: everyone in the installation',
    behavior:
      'Integers that a double cannot hold, and numbers that are too large, are refused with their path in payloads, rows, and inputs',
  },
  'events.emit.refusals': {
    source: 'quality.md: security; events.md: everyone in the installation',
    behavior: 'A refusal costs processor time in proportion to the payload, whatever its schema refers to',
  },
  'events.emit.limits': {
    source: 'contract §1, §6',
    behavior: 'Too large, too deep, and too many keys are refused cheaply; a key has at most 255 characters',
  },
  'events.emit.idempotent': {
    source: 'spec: Reliability 2; events.md G4',
    behavior: 'The same key returns the first envelope and fires nothing, however many emit it at once',
  },
  'events.emit.key-scope': {
    source: 'contract §6',
    behavior: 'A key counts for one event of one application; a different payload is reported',
  },
  'events.emit.upgrade': {
    source: 'events.md, emit',
    behavior:
      'A process that has cached a schema uses it no longer once another has upgraded the application',
  },
  'events.emit.lost-commit': {
    source: 'events.md, emit; contract §6',
    behavior: 'A lost response to COMMIT is looked up; a 2xx always means recorded, a 503 says how to repeat',
  },
  'events.emit.batches': {
    source: 'events.md, emit',
    behavior: 'Emissions at the same time share transactions, and one that fails does not affect the others',
  },
  'events.batch.alone': {
    source: 'events.md, batch',
    behavior:
      'Each event of a batch has the outcome that it would have alone, in order; one that is refused affects no other',
  },
  'events.batch.statement': {
    source: 'events.md, batch',
    behavior: 'The valid events of a batch are stored by one statement, also if they repeat a key',
  },
  'events.batch.limits': {
    source: 'events.md, batch; contract §1',
    behavior: 'A batch has 1 to 500 events and 4 MB; each event counts against the rate limit',
  },
  'events.batch.unavailable': {
    source: 'events.md, batch; contract §6',
    behavior: 'If the outcome of a batch is not known, the response is a 503 that says how to repeat it',
  },
  'events.dispatch.matched': {
    source: 'spec: Event bus events, Filter semantics; events.md, dispatch',
    behavior: 'Every enabled subscription that matches starts one run; verdicts and their number are stored',
  },
  'events.dispatch.trigger': {
    source: 'spec: Trigger object; contract §6',
    behavior:
      'A run that an event starts has a trigger with the nine keys; the path of its envelope is the run’s',
  },
  'events.dispatch.unmatched': {
    source: 'events.md, dispatch',
    behavior: 'An event that no subscription matches is DISPATCHED, with 0 matches',
  },
  'events.dispatch.verdicts': {
    source: 'events.md, dispatch; contract §6',
    behavior:
      'A disabled task gets a delivery without a run, a deleted one says nothing, and a broken filter fails by itself',
  },
  'events.dispatch.toggle': {
    source: 'spec: Subscription; events.md, dispatch',
    behavior: 'A subscription never fires after the response that has disabled it',
  },
  'events.dispatch.once': {
    source: 'spec: Reliability 2; events.md G2',
    behavior: 'An envelope starts one run for a subscription and generation, however often it is dispatched',
  },
  'events.dispatch.fenced': {
    source: 'events.md, dispatch',
    behavior: 'Whoever has lost the claim of an envelope changes nothing',
  },
  'events.dispatch.uninstalled': {
    source: 'spec: Subscription; events.md, dispatch',
    behavior: 'An event that was accepted before an uninstall reaches the subscriptions of the user',
  },
  'events.dispatch.poison': {
    source: 'events.md, dispatch; F28',
    behavior:
      'An envelope that cannot be dispatched fails alone, after 20 attempts alone, and can be replayed',
  },
  'events.dispatch.infrastructure': {
    source: 'events.md, dispatch; R7',
    behavior: 'Failures of the infrastructure are retried and never make an envelope FAILED',
  },
  'events.dispatch.fan-out': {
    source: 'events.md, dispatch; F27',
    behavior: 'Any number of subscriptions is served; the runs of one envelope are created together',
  },
  'events.emit.space-limit': {
    source: 'design: Places',
    behavior:
      'One limit bounds the events that a space emits per minute, whatever their origin: calls get 429 with Retry-After, steps and code a clear error',
  },
  'events.emit.refusals-shown': {
    source: 'design: Places',
    behavior: 'The summary shows how many events the limit of a space refused, and when it last did',
  },
  'events.dispatch.fair': {
    source: 'design: Places',
    behavior:
      'Envelopes are claimed round-robin over spaces; a space whose subscriptions are being changed is passed over, and keeps no other waiting',
  },
  'events.dispatch.claims': {
    source: 'events.md, dispatch; F33',
    behavior: 'The cost of a claim does not depend on how many envelopes wait',
  },
  'events.dispatch.outage': {
    source: 'spec: Reliability 3; events.md G7',
    behavior:
      'Events emitted while messaging is down stay PENDING and are dispatched within 3 s of its recovery',
  },
  'events.step.emitted': {
    source: 'contract §7',
    behavior: 'A step that emits does so as the owner of its task; the event belongs to the chain of its run',
  },
  'events.step.skipped': {
    source: 'spec: Reliability 4; contract §7',
    behavior: 'A step whose event the loop guard skips succeeds, with the status and the reason',
  },
  'events.step.refused': {
    source: 'contract §7',
    behavior: 'An unknown event is refused when the task is saved; later, the run fails with the reason',
  },
  'events.step.once': {
    source: 'events.md G4',
    behavior: 'A step of a run emits once, also if the response of the database was lost',
  },
  'events.step.attempts': {
    source: 'events: Keys',
    behavior:
      'Attempts of a run, also by hand, repeat no emission of its steps and their code, and lose none',
  },
  'events.step.key': {
    source: 'events: Keys, G4',
    behavior: 'A step, and code, can emit with an idempotency key, which applications and steps share',
  },
  'events.data.recorded': {
    source: 'spec: Event bus events; events.md, data writes',
    behavior:
      'A data write emits in its transaction; a row that violates the schema is written, its envelope FAILED',
  },
  'events.partitions': {
    source: 'events.md, retention',
    behavior:
      'Partitions exist ahead of time; an insert that finds none creates it, without an error for the caller',
  },
  'events.payload.once': {
    source: 'events.md: everyone in the installation, Storage',
    behavior: 'A large payload is stored once: its runs read it from the envelope',
  },
  'events.payload.retention': {
    source: 'events.md: everyone in the installation, Storage',
    behavior:
      'Runs that are kept longer than their envelope receive a copy of its payload before it is dropped; without a payload, none starts',
  },
  'events.erasure': {
    source: 'events.md: everyone in the installation, Storage',
    behavior:
      'An admin erases the payload of an envelope, and what its runs stored of it; hash, size, verdicts, and statuses stay',
  },
  'events.erasure.final': {
    source: 'events.md: everyone in the installation, Storage',
    behavior: 'What was erased is neither replayed, nor attempted again, nor found by a search',
  },
  'events.erasure.key': {
    source: 'events.md: everyone in the installation, Storage',
    behavior: 'The idempotency key of an erased payload stays taken, and duplicates are compared by hash',
  },
  'events.erasure.unfinished': {
    source: 'events.md: everyone in the installation, Storage',
    behavior: 'A payload is not erased while its envelope is PENDING or a run of it has not ended: 409',
  },
  'events.erasure.once': {
    source: 'events.md: everyone in the installation, Storage',
    behavior: 'Erasing is for admins, idempotent, and audited',
  },
  'storage.rows': {
    source: 'events.md: everyone in the installation, Storage',
    behavior: 'An admin sees how many bytes the rows of each table take',
  },
  'storage.events': {
    source: 'events.md: everyone in the installation, Storage',
    behavior:
      'An admin sees how many bytes the payloads of each event take, and until when they were counted',
  },
  'storage.access': {
    source: 'events.md: everyone in the installation, Storage',
    behavior: 'Bytes and quotas are for admins; changes of quotas are validated and audited',
  },
  'storage.quota': {
    source: 'events.md: everyone in the installation, Storage',
    behavior:
      'What would exceed a quota is a 409 QUOTA_EXCEEDED that names the quota and who can raise it; what was accepted stays',
  },
  'events.retention': {
    source: 'events.md, retention',
    behavior:
      'Months older than the setting are dropped with their keys, never while an envelope waits in them',
  },
  'events.retention.remembered': {
    source: 'events.md, Sweeping',
    behavior:
      'A sweep is due by when it last succeeded, over restarts; a failure is retried with back-off, an overdue one is a warning in health',
  },
} as const;
