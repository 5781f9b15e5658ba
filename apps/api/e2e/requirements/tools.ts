export const tools = {
  'http-tools.crud': {
    source: 'contract §8; spec: Tools',
    behavior:
      'Tools and methods are created, listed, changed, and deleted; the tools of the platform are last',
  },
  'http-tools.test': {
    source: 'contract, Added after the first trials',
    behavior:
      'Saving a tool can test it: whether an MCP server lists its tools, or the server of an HTTP API responds with any status; the tool is saved either way, and no credentials are sent to an HTTP API',
  },
  'http-tools.import': {
    source: 'tools.md, Found on 128 documents; issue: Real documents, real files',
    behavior: 'Every method that the import makes is stored as it is, also of hostile documents',
  },
  'http-tools.bounds': {
    source: 'issue: Bad input; quality: Security',
    behavior:
      'Each field of a tool has a limit, and an error names the field; the service accepts no document',
  },
  'http-tools.roles': {
    source: 'contract §2',
    behavior: 'Members view and call tools; admins create, change, and delete them',
  },
  'http-tools.secrets': {
    source: 'contract §8; quality: Secrets',
    behavior: 'Secrets are write-only, encrypted, and bound to the origin that they were entered for',
  },
  'http-tools.invoke': {
    source: 'contract §8, Invoke',
    behavior:
      'A response with any status is a result; wrong input is 400, no response 502, a disabled method 409',
  },
  'http-tools.agent': {
    source: 'turns.md, tools in a turn',
    behavior: 'An agent offers the methods of its tools to the model, at most 128, and calls them',
  },
  'http-tools.attachments': {
    source: 'issue: tools',
    behavior: 'The model is told the ids under which tools accept the attachments of the session',
  },
  'http-tools.step': {
    source: 'contract §7; issue: tool steps',
    behavior:
      'A tool step calls a method as the owner; an error status fails it, unless it is accepted, and so does no response',
  },
  'http-tools.step.status': {
    source: 'workflows: Steps',
    behavior:
      'A status of 400 or more fails the step, so that it is retried, with the response on the run page; code can catch it',
  },
  'http-tools.loop': {
    source: 'issue: Must show',
    behavior: 'A loop of event, task, tool call over HTTP, and emission is stopped by the guard',
  },
  'secrets.canaries': {
    source: 'issue: Must show; quality: Security',
    behavior:
      'Secrets of tools, models, speech, people, and applications appear in no log, response, table, or Redis key',
  },
  'speech-tool.configuration': {
    source: 'contract §8; spec: Speech recognition',
    behavior: 'Shows whether credentials are set and what is wrong with them, never their values',
  },
  'speech-tool.calls': {
    source: 'spec: Speech recognition',
    behavior: 'speech_recognition is callable by people, agents, and steps of every space',
  },
  'speech-tool.failures': {
    source: 'spec: Errors; issue: Bad input',
    behavior: 'A failure is an output with exactly six fields, whose error begins with one of the codes',
  },
} as const;
