/** The platform as an MCP server. */
export const mcp = {
  'mcp.offers': {
    source: 'mcp.md, The platform as an MCP server',
    behavior:
      'Admins choose the agents, methods, and tasks that a space offers; callers see those that they may use, under names that stay',
  },
  'mcp.calls': {
    source: 'mcp.md, The platform as an MCP server',
    behavior:
      'A tools/call executes an agent, a method, or a task as its caller; errors are results; clients of 2025 and 2026 are served',
  },
  'mcp.questions': {
    source: 'mcp.md, Long work',
    behavior:
      'A question of an agent is an elicitation form, or a text for clients without forms; one answer counts, however often it is sent',
  },
  'mcp.handles': {
    source: 'mcp.md, Long work',
    behavior:
      'Work that outlasts the wait is a durable handle that any process reads and cancels; an idempotency key starts a turn once',
  },
  'mcp.tasks': {
    source: 'mcp.md, Long work',
    behavior:
      'For clients with the tasks extension, agents and tasks are durable tasks, which any process reads, cancels, and answers once; a question is input_required',
  },
  'mcp.keys': {
    source: 'mcp.md, Long work',
    behavior:
      'The same idempotency key of the same person starts one turn of an agent, or one run of a task; the span of the client is in the trace',
  },
  'mcp.progress': {
    source: 'mcp.md, Long work',
    behavior: 'While a call waits, the client is told so, if it asked for progress',
  },
  'mcp.resources': {
    source: 'mcp.md, The platform as an MCP server',
    behavior:
      'If an admin has chosen so, the documents of the space are resources, read in bounded parts, and a tool searches them, for callers who may use them',
  },
  'mcp.prompts': {
    source: 'mcp.md, The platform as an MCP server',
    behavior:
      'Agents with variables are prompts, whose arguments are the variables; what the agent is told stays unknown',
  },
  'mcp.lists': {
    source: 'mcp.md, The platform as an MCP server',
    behavior: 'Lists and resources depend on the caller, and are cached for nobody else',
  },
  'mcp.bounds': {
    source: 'mcp.md, The platform as an MCP server; quality.md, Security',
    behavior:
      'Bodies, batches, headers, versions, methods, and origins are checked; the calls of a revoked credential end',
  },
  'mcp.kills': {
    source: 'mcp.md, Verification',
    behavior:
      'Whatever dies during calls, processes or clients: no call is lost, none is executed twice, and all of its answers are the same',
  },
  'mcp.conformance': {
    source: 'mcp.md, Verification',
    behavior:
      'The official conformance suite passes in both revisions, but for what is listed as not applicable',
    onlySlow: 'It takes minutes; what it checks is tested in npm test as well',
  },
  'mcp.access': {
    source: 'mcp.md, Authentication',
    behavior: 'A credential reaches the MCP server of its own space only, and as much as its scopes allow',
  },
  'oauth.sign-in': {
    source: 'mcp.md, Authentication',
    behavior:
      'A client finds the authorization server, makes itself known by a document or a registration, and receives tokens once a person has consented; the official client does all of it',
  },
  'oauth.consent': {
    source: 'mcp.md, Authentication',
    behavior:
      'A person sees client, space, and scopes, and allows or denies; nothing is sent to an address that the client has not registered; requests that are wrong, expired, or answered before say so',
  },
  'oauth.audience': {
    source: 'mcp.md, Authentication',
    behavior:
      'An access token is valid for the MCP server of one space, and for nothing else, with the rights that the person has at that moment',
  },
  'oauth.codes': {
    source: 'mcp.md, Authentication',
    behavior:
      'A code is exchanged once, by its client, with its verifier; a code that is used twice ends what it gave',
  },
  'oauth.rotation': {
    source: 'mcp.md, Authentication',
    behavior:
      'Every use replaces a refresh token; a lost response can be repeated for 30 s; an older token ends the grant',
  },
  'oauth.grants': {
    source: 'mcp.md, Authentication',
    behavior:
      'People see and revoke what they have allowed, admins that of everyone; it is audited, and open calls end within five seconds',
  },
  'oauth.documents': {
    source: 'mcp.md, Authentication',
    behavior:
      'Documents of clients are read through the guarded client, bounded in bytes and time, without redirects, and kept for an hour',
  },
  'oauth.registrations': {
    source: 'mcp.md, Authentication',
    behavior: 'Registrations are bounded and limited; clients that nobody has allowed anything are purged',
  },
};
