export const interactions = {
  'question.asked': {
    source: 'spec: Interaction; contract §4',
    behavior:
      'ask_user ends the segment with agent-input-required; pending lists the question with option ids',
  },
  'question.resume': {
    source: 'spec: Resume',
    behavior: 'Resume by option ids opens a stream of its own and the turn completes, from any instance',
  },
  'question.resume.idempotent': {
    source: 'spec: Turn, interaction, job',
    behavior:
      'The same resume again, also 50 at once, runs once and gets the same segment; another choice is 409',
  },
  'question.resume.answers': {
    source: 'contract §4',
    behavior:
      'Labels, unknown ids, wrong numbers and otherText where it is not allowed are 400; null always allowed',
  },
  'question.resume.unknown': {
    source: 'contract §4',
    behavior: 'A foreign or unknown interaction, turn or session is 404; without the protocol header 426',
  },
  'question.several': {
    source: 'turns.md, steps are rows',
    behavior: 'Several questions of one step are put one after the other without a model call between',
  },
  'question.dismissed': {
    source: 'contract §4',
    behavior: 'A new turn of the session dismisses the question; resuming it is 409, its turn CANCELLED',
  },
  'question.expired': {
    source: 'turns.md',
    behavior: 'A question that nobody answered in time ends its turn as CANCELLED',
  },
  'question.abandoned': {
    source: 'contract §2, §3; issue: Gaps',
    behavior:
      'When an agent is deleted, or a member removed, the turns that wait there end as CANCELLED, in batches that a kill does not lose; their questions leave every inbox, and their runs go on with an error',
  },
  'cancel.running': {
    source: 'spec: Cancel turn',
    behavior: 'Cancel in the stream closes the provider’s socket within a second; text is kept and charged',
  },
  'cancel.places': {
    source: 'issue: Cancel',
    behavior:
      'Cancel before the start, before the first token, inside a tool and while waiting ends CANCELLED',
  },
  'cancel.processes': {
    source: 'spec: Cancel turn',
    behavior:
      'Cancel through another process reaches the running one; 200 random moments, none is overwritten',
  },
  'cancel.session': {
    source: 'spec: Cancel turn',
    behavior:
      'sessionId is demanded; an unknown turn or one of another session is 404; finished stays finished',
  },
  'local-tools.result': {
    source: 'contract §4, local tools',
    behavior:
      'Offered only if declared and registered; first result wins, same again 200, another 409, unknown 404',
  },
  'local-tools.denied': {
    source: 'contract §4, local tools',
    behavior: 'A denied call and an error are told to the model; the turn goes on',
  },
  'tools.parallel': {
    source: 'turns.md, tools in a turn',
    behavior: 'current_time runs where the agent lists it; results and frames belong to their calls',
  },
  'cancel.tools': {
    source: 'issue: Money and state',
    behavior:
      'A cancelled or failed turn closes its open calls of tools, in the stream and in the JSON answer',
  },
  'tools.builtin': {
    source: 'issue: Prepare for the next issues',
    behavior:
      'A built-in method is told space, user, agent, configuration and signal, and reads attachments of its session',
  },
  'tools.missing': {
    source: 'issue: Prepare for the next issues',
    behavior:
      'An agent that lists an unknown tool or method says so in its definition and as a warning in the stream',
  },
  'tools.ask-mode': {
    source: 'spec: chat_mode',
    behavior: 'chat_mode ask offers no tool that acts',
  },
  'execute.answer': {
    source: 'spec: Execute response body',
    behavior: 'Exactly answer, agent_id, execution_time, token_usage with its four keys',
  },
  'execute.inputs': {
    source: 'spec: Execute request body; contract §5',
    behavior:
      'Recognised inputs are checked; memory, context, internet default to false; a missing variable is 400',
  },
  'execute.settings': {
    source: 'spec: Execute settings',
    behavior: 'maxTokens is spelled so; temperature 0–1 and top_p 0–1 inclusive; max_tokens is unknown here',
  },
  'execute.memory': {
    source: 'contract §5',
    behavior:
      'memory: true reads and writes the session; without it nothing is read and no session is listed',
  },
  'execute.evidence': {
    source: 'turns.md, tools in a turn; issue: Prepare for the next issues',
    behavior:
      'context, internet and memory are kept with the turn; what cannot be searched is told as evidence with a notice',
  },
  'execute.internal': {
    source: 'issue: Prepare for the next issues',
    behavior:
      'A turn is started as a member without a request: by the rule of the agent, with its cause, charged to its source',
  },
  'execute.forgotten': {
    source: 'issue: Availability, purges',
    behavior:
      'What was said in an execution without memory is removed after 7 days; the result of a job stays',
  },
  'execute.stream': {
    source: 'spec: Execute',
    behavior: 'stream: true answers event-stream and needs the protocol header',
  },
} as const;
