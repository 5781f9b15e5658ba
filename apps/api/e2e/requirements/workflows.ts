export const workflows = {
  'workflow.branch': {
    source: 'workflows: Steps',
    behavior:
      'A branch executes the steps of the first condition that holds, and returns what the last of them did',
  },
  'workflow.each': {
    source: 'workflows: Steps',
    behavior:
      'Steps are executed for each item, a number of items at a time; a failure stops them or is an entry',
  },
  'workflow.task': {
    source: 'workflows: Steps',
    behavior:
      'A step starts a run of another task, waits for it without a process, and continues with its output',
  },
  'workflow.task.once': {
    source: 'workflows: Execution',
    behavior:
      'A step starts one run: a retry goes on with it, and starts another one only for other inputs, or if it begins at the step or before it',
  },
  'workflow.task.cancel': {
    source: 'workflows: Execution',
    behavior:
      'A run that is canceled, or fails, cancels the runs for whose end it waits; it learns at once that one of them was canceled',
  },
  'workflow.bounds': {
    source: 'workflows: Steps',
    behavior:
      'The output of a run that a step waited for counts towards the limits of its own run: a step whose output exceeds them fails, with a clear error, and is not executed again',
  },
  'workflow.wait': {
    source: 'workflows: Execution',
    behavior:
      'A run waits for a time or an event without a process, a slot, or a lease, and continues afterwards',
  },
  'workflow.wait.event': {
    source: 'workflows: Execution',
    behavior: 'An event that fits the filter of a wait ends it, if it was recorded after the wait was stored',
  },
  'workflow.wait.cancel': {
    source: 'workflows: Execution',
    behavior:
      'A run that waits is canceled at once; one whose task is deleted ends as CANCELLED and says why',
  },
  'workflow.when': {
    source: 'workflows: Steps',
    behavior:
      'A step whose condition does not hold is SKIPPED; a condition that fails, or uses more than 50 ms of processor time, fails its step',
  },
  'workflow.retry': {
    source: 'workflows: Steps',
    behavior:
      'A step is executed again as often as it says, and the run goes on after its failure if it says so',
  },
  'workflow.timeout': {
    source: 'workflows: Steps',
    behavior: 'An execution of a step ends when its own time is over',
  },
  'workflow.retry-continues': {
    source: 'workflows: Execution',
    behavior: 'A retry continues at the failed step: what has ended is not executed again',
  },
  'workflow.retry-from': {
    source: 'workflows: Execution',
    behavior: 'A retry can begin at an earlier step, which is executed again with all after it',
  },
  'workflow.retry-preview': {
    source: 'workflows: Execution',
    behavior:
      'A preview lists what a retry would execute again, which of it has effects, and what it would keep; it is refused like the retry',
  },
  'workflow.test': {
    source: 'workflows: Execution, test run',
    behavior:
      'A test executes nothing that has effects, or only starts nothing; what it leaves out returns what it did last, or an example, and is marked',
  },
  'workflow.test.event': {
    source: 'workflows: Execution, test run',
    behavior:
      'A test repeats a recorded event that its caller may read, without recording or dispatching it; it is erased with the payload',
  },
  'workflow.test.apart': {
    source: 'workflows: Execution, test run',
    behavior:
      'A test counts in no list, failure, rate, or inbox, cannot be retried, and needs the rights of whoever edits the task',
  },
  'workflow.resume': {
    source: 'workflows: Execution',
    behavior:
      'Wherever a run is cut off, and in whatever order steps end, each step that ended was executed once',
  },
  'workflow.examples': {
    source: 'issue 20, docs',
    behavior: 'Each example of docs/workflows.md works as it stands there',
  },
  'workflow.checked': {
    source: 'workflows: Steps; issue 20, Bad input',
    behavior:
      'Steps that can never work are a 400 that names the step: ids, depth, number, conditions, templates',
  },
} as const;
