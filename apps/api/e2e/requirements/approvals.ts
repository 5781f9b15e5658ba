export const approvals = {
  'approval.pause': {
    source: 'mcp.md, approvals',
    behavior:
      'A call that needs an approval pauses the turn; the other calls of the step run first, and after the approval the same call is made once, without a model call in between',
  },
  'approval.policy': {
    source: 'mcp.md, approvals',
    behavior:
      'Method, agent, and step have policies: an explicit policy of the method is only made stricter; the rule that decided is named; existing methods run',
  },
  'approval.bound': {
    source: 'mcp.md, approvals',
    behavior:
      'An approval holds for the method, its version, and its arguments: another call asks again, and changed arguments are recorded as such',
  },
  'approval.once': {
    source: 'mcp.md, approvals',
    behavior: '50 answers at once make one call; whoever is late learns who answered what',
  },
  'approval.approvers': {
    source: 'mcp.md, approvals',
    behavior:
      'The requester, admins, named people, or others approve: in the turn or in the inbox, and nobody else; the audit and the trace say who did',
  },
  'approval.rejected': {
    source: 'mcp.md, approvals',
    behavior:
      'A rejection is told to the model with its reason; a step of a run fails with REJECTED, is not retried, and onError applies',
  },
  'approval.unasked': {
    source: 'mcp.md, approvals',
    behavior: 'Where nobody can be asked, the call is refused with the reason, and `never` is never called',
  },
  'approval.runs': {
    source: 'mcp.md, approvals',
    behavior: 'A step of a run waits for its approval without a process, and then makes the same call once',
  },
  'approval.durable': {
    source: 'mcp.md, approvals',
    behavior: 'A week and a restart between question and answer change nothing',
  },
  'call.needs': {
    source: 'mcp.md, connections and elicitation',
    behavior:
      'A call that needs a connection or values asks its person, in turns and in runs, and is made again with the answer',
  },
  'call.needs.connected': {
    source: 'mcp.md, connections',
    behavior:
      'A run that waits for a connection goes on when its owner, or an admin for that of the space, has connected, and no other run does',
  },
};
