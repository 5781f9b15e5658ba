export const tasks = {
  'task.stale': {
    source: 'console.md, Forms',
    behavior: 'A change that is based on an earlier state of a task is a 409, if it says on which',
  },
  'task.create': {
    source: 'contract §7',
    behavior: 'A task is created with its defaults, and read, listed and changed as it was stored',
  },
  'task.invalid': {
    source: 'contract §7; §1',
    behavior: 'A wrong task is a 400 that names every wrong field, down to the step',
  },
  'task.access': {
    source: 'contract §2',
    behavior: 'Members view, edit and run their own tasks, admins all; steps that emit need an admin',
  },
  'task.list.application': {
    source: 'console: what an application declares',
    behavior: 'applicationIdentifier lists only the tasks of that application, of those that the caller sees',
  },
  'task.references': {
    source: 'contract §7',
    behavior: 'A step that names an unknown tool, agent or event is a 400 that names the step',
  },
  'task.results': {
    source: 'console: A picture above each list',
    behavior:
      'One request returns how the latest 20 runs of each of many tasks ended, of those that the caller sees, and reads no more runs than these',
  },
  'task.type': {
    source: 'contract §6',
    behavior: 'The type of a task changes only if nothing that depends on it objects',
  },
  'task.owner.removed': {
    source: 'contract §2',
    behavior: 'Removing a member disables the tasks of that person, which tell why',
  },
  'task.templates.possible': {
    source: 'design: Everyone in the installation, Numbers',
    behavior:
      'Templates that can never resolve are refused with their path and the nearest name: for the event, the type of the task, and the outputs of earlier steps',
  },
  'task.owner.transfer': {
    source: 'events: Owners',
    behavior:
      'Before a member is removed, an admin sees what would stop, and removes the member with or without a transfer of all tasks',
  },
  'task.owner.change': {
    source: 'events: Owners',
    behavior:
      'An admin takes a task over, or gives it to a member who has the rights; waiting runs act as the new owner',
  },
  'task.owner.adopted': {
    source: 'events: Owners',
    behavior: 'Whoever installs the same manifest again becomes the owner of tasks whose owners have left',
  },
  'task.disabled': {
    source: 'events: Switches',
    behavior:
      'Once a task is disabled, no event starts it and no waiting run begins until it is enabled; people can run it by hand',
  },
  'task.disabled.runs': {
    source: 'events: Switches',
    behavior: 'Whoever disables a task decides what becomes of the runs that wait and execute',
  },
  'task.runs.cancel': {
    source: 'events: Switches',
    behavior:
      'The waiting and running runs of a task are cancelled by one request, in bounded batches, and counted',
  },
  'task.versions': {
    source: 'workflows: Versions',
    behavior:
      'Each workflow that a task had is a version with its author, whoever stores it, also a process of the previous version',
  },
  'task.versions.compare': {
    source: 'workflows: Versions',
    behavior: 'Two versions are compared step by step: added, removed, changed, and moved',
  },
  'task.versions.restore': {
    source: 'workflows: Versions',
    behavior: 'Restoring a version is checked like any change of the task, and makes a new version',
  },
  'task.application': {
    source: 'contract §7; spec: Applications',
    behavior:
      'The manifest owns what a task of an application does; a new installation keeps whether it is enabled',
  },
} as const;

export const inbox = {
  'inbox.ask': {
    source: 'workflows: Steps',
    behavior:
      'A step asks people and waits without a process; its output is the answer, and a wrong step is refused',
  },
  'inbox.list': {
    source: 'workflows: What people see and do',
    behavior: 'The inbox has the questions to the caller, oldest first, page by page, and their number',
  },
  'inbox.addressed': {
    source: 'workflows: What people see and do',
    behavior:
      'Only those answer to whom a question is addressed; others do not see it unless they manage its task',
  },
  'inbox.answer.once': {
    source: 'workflows: What people see and do; Bad input',
    behavior:
      'A question is answered once, however many answer at the same moment; the others learn who answered what',
  },
  'inbox.answer.values': {
    source: 'workflows: Bad input',
    behavior: 'Values of the wrong type are refused field by field; who rejects need not fill in anything',
  },
  'inbox.answer.closed': {
    source: 'workflows: Bad input',
    behavior: 'A question that expired, or whose run has ended, cannot be answered and says so',
  },
  'inbox.answer.restart': {
    source: 'workflows: Fault tests',
    behavior: 'A restart between question and answer loses neither',
  },
} as const;

export const sandbox = {
  'sandbox.code': {
    source: 'spec: Trigger object; contract §7',
    behavior: 'Code gets its inputs, returns its output and writes to the log of its step',
  },
  'sandbox.bounds': {
    source: 'issue: sandbox; quality: Security',
    behavior:
      'Code that loops, recurses, fills memory, logs, or returns without end fails with a reason; the worker and the next run are fine',
  },
  'sandbox.values': {
    source: 'events.md: everyone in the installation',
    behavior:
      'What code returns becomes useful JSON or an error that says why; dates and numbers honor locale and time zone',
  },
  'sandbox.builtins': {
    source: 'events.md: everyone in the installation',
    behavior:
      'Code has hashes, signatures, base64, UTF-8, URLs, copies of values, and pauses that cost no processor time',
  },
  'sandbox.isolated': {
    source: 'design: Runs',
    behavior: 'Code sees nothing of Node.js, and nothing of the code that ran before',
  },
  'sandbox.stopped': {
    source: 'design: Runs; contract §7',
    behavior:
      'Code ends with its run, and a run with the process of its code; code that nothing can continue fails at once',
  },
  'sandbox.calls': {
    source: 'design: Runs; contract §2',
    behavior: 'Code calls agents and emits events as the owner of its task, with the rights of that person',
  },
} as const;

export const schedules = {
  'tasks.due-turns': {
    source: 'quality.md, Process',
    behavior:
      'Schedules, waits, and batches of events that are due start in turns of spaces: much of one keeps no other waiting',
  },
  'schedule.due': {
    source: 'contract §7; events',
    behavior: 'A schedule starts one run for each due time, in one of the processes, without a trigger',
  },
  'schedule.catch-up': {
    source: 'contract §7; events',
    behavior: 'After downtime the missed times have one run in total, which knows how many they were',
  },
  'schedule.overlap': {
    source: 'design: Schedules',
    behavior:
      'While the last run of a schedule has not ended, a due time waits in one run (the default), is skipped, replaces it, or has a run beside it',
  },
  'schedule.times': {
    source: 'design: Schedules',
    behavior:
      'A schedule says what became of each due time: a run, one that stands for it, or because of which run it was skipped',
  },
  'schedule.next': {
    source: 'contract §7',
    behavior: 'A task tells when it is due next; one that is disabled is not due',
  },
  'schedule.preview': {
    source: 'contract §7',
    behavior: 'The next five due times of a schedule are shown before it is stored',
  },
} as const;
