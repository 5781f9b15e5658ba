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
  'mcp.access': {
    source: 'mcp.md, Authentication',
    behavior: 'A credential reaches the MCP server of its own space only, and as much as its scopes allow',
  },
};
