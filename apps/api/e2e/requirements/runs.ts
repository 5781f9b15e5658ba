export const runs = {
  'run.manual': {
    source: 'contract §7',
    behavior:
      'A manual run executes the steps in order with their templates resolved, and shows each of them',
  },
  'run.version': {
    source: 'workflows: Versions',
    behavior: 'A run keeps the version of the task that it began with, in all its attempts, and shows it',
  },
  'run.no-trigger': {
    source: 'spec: Trigger object; contract §7',
    behavior: 'Manual runs have no trigger, and none can be given in their inputs',
  },
  'run.trigger': {
    source: 'spec: Trigger object; contract §6, §7',
    behavior: 'A run that an event started has the nine keys of the trigger, as they were recorded',
  },
  'run.atomic': {
    source: 'design: Runs',
    behavior: 'Runs are queued in the transaction of whoever creates them: without its commit there are none',
  },
  'run.list': {
    source: 'contract §1, §7',
    behavior: 'Runs are listed newest first, by status and task, page by page; admins see all of the space',
  },
  'run.list.omits': {
    source: 'contract §1; events: honest outcomes',
    behavior: 'Lists of runs leave out inputs, payload, steps, and attempts: they are absent, not empty',
  },
  'run.list.filters': {
    source: 'contract §7; quality: Performance',
    behavior:
      'Runs are filtered by task, event, application, origin, owner, status, and time, and by indexes',
  },
  'run.duration': {
    source: 'events: honest outcomes',
    behavior:
      'The duration of a run is that of its current attempt, without the attempts and pauses before it',
  },
  'run.access': {
    source: 'contract §1, §2',
    behavior: 'Members see runs of their own tasks only (404); runs of other spaces are a 403',
  },
  'run.owner': {
    source: 'spec: Authorization; contract §7',
    behavior: 'A run acts as the owner of its task, and fails with OWNER_GONE once that person has left',
  },
  'run.failed': {
    source: 'contract §7',
    behavior:
      'A failed step ends the run with its code; later steps do not run; unexpected errors are not shown',
  },
  'run.bounds': {
    source: 'contract §7; quality: Security',
    behavior: 'The log of a run has at most 256 KB, an output at most 1 MB, with a clear error',
  },
  'run.start': {
    source: 'workflows: Targets',
    behavior:
      'While no run waits, the runs of an event start with the transaction that dispatches it, once each',
  },
  'run.step.begin': {
    source: 'workflows: Execution',
    behavior:
      'That a step executes is stored before it has an effect, and within a second; a shorter one is stored once, with its end',
  },
  'run.log.live': {
    source: 'workflows: Execution',
    behavior:
      'The log of a step is visible while it executes, about a second late: at most one write per second and run, fenced, none for a step that ends before',
  },
  'run.timeout': {
    source: 'contract §7',
    behavior: 'An attempt that exceeds the timeout of the task is stopped and FAILED with TIMEOUT',
  },
  'run.backoff': {
    source: 'contract §7',
    behavior: 'A failed run is attempted again after the backoff, which doubles, as often as the task says',
  },
  'run.retry': {
    source: 'contract §7',
    behavior: 'Retry adds an attempt to the same run, once however many ask; otherwise it is a 409',
  },
  'run.cancel': {
    source: 'contract §7',
    behavior:
      'A queued run is cancelled at once, a running one within a second, in whichever process it runs',
  },
  'run.slots': {
    source: 'spec: concurrency limits apply; design: G6',
    behavior: 'No more runs of a task execute at the same time than it allows, also while the limit changes',
  },
  'run.key': {
    source: 'workflows: Concurrency by key',
    behavior:
      'Of the runs of a task with the same value of concurrencyKey, at most perKey execute at once, also while processes die; the others stay QUEUED, say why, and begin in the order in which they were created',
  },
  'run.key.place': {
    source: 'workflows: Concurrency by key',
    behavior:
      'Whatever makes a run stop executing gives its place to the next of its key: success, failure, cancellation, a wait, a lost process, a change of the task',
  },
  'run.key.plans': {
    source: 'quality: Performance',
    behavior: 'Claims do not read the runs that wait for a place of their key, however many there are',
  },
  'run.next': {
    source: 'design: Runs',
    behavior: 'When a run ends, the one that has waited longest starts at once',
  },
  'run.agent.asks': {
    source: 'workflows: Steps',
    behavior:
      'What the agent of a step asks is in the inbox; its run waits, and goes on once, with the answer given there or to the turn',
  },
  'run.agent': {
    source: 'contract §2, §7',
    behavior:
      'An agent step returns the response of an execution; access is checked on each call; cancel stops it',
  },
  'run.interrupted': {
    source: 'contract §7; design: G5',
    behavior: 'A run whose process died is INTERRUPTED, or attempted again if its task wants that',
  },
  'run.code.early': {
    source: 'workflows: Execution',
    behavior: 'Code runs while its start is stored; what it calls waits until that is stored',
  },
  'run.fencing': {
    source: 'design: Runs',
    behavior: 'A process that has lost a run stops its code, and stores nothing of it',
  },
  'run.lost-response': {
    source: 'design: Persistence',
    behavior: 'A claim or an end whose response was lost is found, and nothing is executed twice',
  },
  'run.clock': {
    source: 'design: F31',
    behavior: 'A jump of the clock of the database interrupts no run whose process lives',
  },
  'run.shutdown': {
    source: 'quality: Process',
    behavior:
      'A process that is told to end finishes its runs or gives them back, and leaves no lease behind',
  },
  'run.handover': {
    source: 'workflows: A deployment loses nothing',
    behavior:
      'A process that ends hands its runs over between two steps: the next one continues, executes no ended step again, and nothing counts as a failed attempt',
  },
  'run.task-gone': {
    source: 'design: Places',
    behavior:
      'Deleting a task cancels its running runs, and ends those that wait in batches, without an attempt each',
  },
  'run.fair': {
    source: 'design: Places',
    behavior:
      'Runs that never end keep no other space, and no other owner, from starting runs: none holds more than half of what others wait for',
  },
  'run.queue.hints': {
    source: 'design: Messaging',
    behavior: 'Lost, repeated, and forged hints change nothing: every run is executed once',
  },
  'run.queue.plans': {
    source: 'quality: Performance',
    behavior: 'Claims, lists, and polls of the queue use indexes, however many runs wait',
  },
  'run.queue.bytes': {
    source: 'quality: Performance',
    behavior: 'One claim takes a bounded number of bytes of inputs, and the runs of large ones more places',
  },
  'run.retention': {
    source: 'design: Retention',
    behavior: 'Attempts, steps, and leftovers of the queue are deleted with the runs they belong to',
  },
  'run.failures': {
    source: 'workflows: Failures',
    behavior:
      'Failed and interrupted runs that nobody dismissed are grouped by task, step, code, and message without its numbers and ids',
  },
  'run.list.search': {
    source: 'workflows: Failures',
    behavior: 'Runs are found by error code, and by text in inputs, error, and log, in bounded pages',
  },
  'run.bulk': {
    source: 'workflows: Failures',
    behavior:
      'Many runs are retried, cancelled, or dismissed as stored work with a preview count, progress, and one audit entry',
  },
  'run.bulk.dismiss': {
    source: 'workflows: Failures',
    behavior:
      'A dismissed run is no longer among the failures, stays in history, and is a failure again if it fails again',
  },
  'run.bulk.access': {
    source: 'contract §2; workflows: Failures',
    behavior:
      'A bulk action of a member reaches runs of own tasks only; members see their own, admins all of the space',
  },
  'run.bulk.invalid': {
    source: 'contract §1',
    behavior: 'A bulk action that fits no run, or whose selection is wrong, is a 400 that names the field',
  },
  'run.bulk.stop': {
    source: 'workflows: Failures',
    behavior: 'Once a bulk action was stopped, no further run is changed',
  },
  'run.bulk.takeover': {
    source: 'workflows: Failures',
    behavior: 'A batch that was killed, repeated, or whose commit was lost attempts each run again once',
  },
  'run.bulk.fair': {
    source: 'workflows: Failures',
    behavior: 'A bulk action has its turn beside long ones of another space',
  },
} as const;
