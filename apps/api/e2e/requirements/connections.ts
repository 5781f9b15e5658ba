export const connections = {
  'connections.sign-in': {
    source: 'mcp: Connections: on whose behalf',
    behavior:
      'A person connects in the browser (PKCE S256), and the calls of their tools carry their token; without it, the call says what to connect, and where',
  },
} as const;
