export const turns = {
  'turn.running.409': {
    source: 'spec: Turn; Limits',
    behavior: 'A turn that is running rejects a second start with 409, also when both come at once',
  },
  'turn.repeat.recorded': {
    source: 'contract §4',
    behavior:
      'A finished turn sent again answers the recorded segment byte for byte; the model is called once',
  },
  'turn.repeat.other': {
    source: 'contract §4',
    behavior: 'The same turnId with other contents or another session_id is a 409 that says which',
  },
  'turn.repeat.failed': {
    source: 'contract §4',
    behavior: 'A failed turn sent again runs again, as a new segment',
  },
  'turn.session.busy': {
    source: 'contract §4',
    behavior: 'A session runs one turn at a time; 409 names the running one',
  },
  'turn.limit': {
    source: 'contract §1; issue: Availability, fairness',
    behavior:
      'A user runs at most PLATFORM_MAX_RUNNING_TURNS turns over all processes: 429 with Retry-After; jobs wait',
  },
  'turn.failure.stream': {
    source: 'spec: error.occurred; contract §4',
    behavior:
      'A failing provider gives error-occurred and an ended stream; partial text is kept, the turn FAILED',
  },
  'turn.failure.json': {
    source: 'contract §4',
    behavior: 'A JSON answer that fails because of the provider is 503 with the turn in X-Turn-Id',
  },
  'turn.persist-pending': {
    source: 'spec: turn.persist_pending; turns.md',
    behavior:
      'While the closing transaction fails, turn-persist-pending is told and the turn still ends well',
  },
  'turn.crash': {
    source: 'turns.md, proof',
    behavior:
      'A process killed during turns leaves none RUNNING: each stream ends with INTERRUPTED, retryable',
  },
  'turn.shutdown': {
    source: 'quality.md, process',
    behavior: 'A shutdown waits for running turns and takes no new ones',
  },
  'turn.abort': {
    source: 'turns.md, proof; contract §4, cancel',
    behavior: 'A stopped turn closes its call of the model at once, keeps what was said and is CANCELLED',
  },
  'turn.get': {
    source: 'contract §4',
    behavior: 'A turn tells status, usage, timings and its segments; others’ turns are 404',
  },
  'turn.history': {
    source: 'contract §4',
    behavior: 'Sessions and messages list what was said, media as links, newest first; deleting hides',
  },
  'turn.history.size': {
    source: 'issue: Availability, memory',
    behavior: 'A page of messages ends early where it has reached 4 MB, with one message at least',
  },
  'turn.tools.unknown': {
    source: 'turns.md, steps are rows',
    behavior: 'A call of a tool that is not offered is told to the model as an error and the loop goes on',
  },
  'session.rename': {
    source: 'issue: Playground',
    behavior: 'A session gets another title, which later turns keep; others’ sessions are 404',
  },
  'turn.list': {
    source: 'issue: Traces',
    behavior:
      'The caller’s turns of all agents, newest first, filtered by agent, session, run, status, source, model, and time',
  },
  'turn.list.bounded': {
    source: 'issue: Traces; quality.md, performance',
    behavior:
      'A page looks at a bounded number of turns, whatever its filter; pages together show every match once',
  },
  'turn.list.space': {
    source: 'issue: Traces; contract §1',
    behavior: 'Admins list the turns of the space as figures, without sessions and content; members get 403',
  },
  'turn.trace': {
    source: 'issue: Traces',
    behavior:
      'A turn as spans: model calls with usage, tool calls with arguments and results, questions with answers, each with its time',
  },
  'turn.trace.detail': {
    source: 'contract §1',
    behavior:
      'The words of a model server, without addresses and keys, are in the trace of a failed turn for the owner of the agent and admins only',
  },
  'turn.trace.own': {
    source: 'contract §1',
    behavior: 'The trace of another user’s turn is 404, for admins too',
  },
  'turn.model.limits': {
    source: 'turns.md',
    behavior:
      'A call ends after five minutes in which the model says nothing new, and after a limit in total: turn, job, relay',
  },
} as const;
