/** Tools that are MCP servers. */
export const mcpTools = {
  'mcp-tools.import': {
    source: 'mcp.md, Tools from MCP servers',
    behavior:
      'An import compares what a server offers with the methods of the tool, and takes the chosen tools; names stay, and edits survive',
  },
  'mcp-tools.approval': {
    source: 'mcp.md, Tools from MCP servers',
    behavior:
      'A method whose description or schema the server has changed is not used until an admin approves exactly what was shown',
  },
  'mcp-tools.bounds': {
    source: 'mcp.md, Tools from MCP servers; quality: Security',
    behavior:
      'Endless, huge, deep, cyclic, and broken lists, results, and streams, and floods of requests of a server, end in a clear error or a line of the report; one odd tool fails no other',
  },
  'mcp-tools.calls': {
    source: 'mcp.md, Tools from MCP servers',
    behavior:
      'Calls have the validation, retries, cache, output fields, masking, and limits of HTTP methods; servers of 2025 keep their sessions, and one that is forgotten is opened again',
  },
  'mcp-tools.results': {
    source: 'mcp.md, Tools from MCP servers',
    behavior:
      'Texts, structured content, links, and errors are results; files are attachments of the session, and the model sees references',
  },
  'mcp-tools.questions': {
    source: 'mcp.md, Tools from MCP servers',
    behavior:
      'What a server of 2026 asks pauses the call, and the answer continues it; older servers that ask receive a cancellation, with a warning',
  },
  'mcp-tools.everywhere': {
    source: 'mcp.md, Tools from MCP servers',
    behavior: 'Agents, steps, MCP clients, and people call these methods like any other',
  },
  'mcp-tools.security': {
    source: 'mcp.md, Verification; quality: Security',
    behavior:
      'Servers receive the credentials of the tool alone, at addresses that are allowed, nothing they say changes what may be called, and people approve calls like those of other tools',
  },
  'mcp-tools.conformance': {
    source: 'mcp.md, Verification',
    behavior: 'The client passes the scenarios of the official conformance package that apply to it',
    onlySlow: 'The package starts its own processes',
  },
};
