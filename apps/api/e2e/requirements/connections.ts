const SOURCE = 'mcp: Connections: on whose behalf';

export const connections = {
  'connections.sign-in': {
    source: SOURCE,
    behavior:
      'A person connects in the browser (PKCE S256), and the calls of their tools carry their token; without it, the call says what to connect, and where',
  },
  'connections.sign-in.refused': {
    source: SOURCE,
    behavior:
      'A sign-in is bound to the browser, the session, the state, and the issuer; it is valid once, for ten minutes, and ends on a page of the console alone',
  },
  'connections.sign-in.id-token': {
    source: SOURCE,
    behavior:
      'An ID token for another client, issuer, or sign-in is refused; clocks may differ by two minutes',
  },
  'connections.isolation': {
    source: `${SOURCE}; mcp: Verification`,
    behavior:
      "No tool receives a token of another person, and no person another one's cached response: persons, connections, tools, and ways of calling",
  },
  'connections.refused-token': {
    source: SOURCE,
    behavior:
      'A token that the server of a tool refuses is renewed once, and the call is repeated once if that is safe; then the person has to sign in again',
  },
  'connections.renewal': {
    source: SOURCE,
    behavior:
      'A token is renewed a minute before it expires, by the clock of the database, also if the provider says it in its own way',
  },
  'connections.renewal.once': {
    source: SOURCE,
    behavior:
      'One request renews a token for 200 callers in three processes; those who wait hold no connection of the database',
  },
  'connections.renewal.lost': {
    source: SOURCE,
    behavior: 'A lost answer of a refresh with rotating refresh tokens becomes "sign in again", never a loop',
  },
  'connections.renewal.down': {
    source: SOURCE,
    behavior:
      'A provider that is down, has revoked a connection, or no longer knows the platform are told apart, and is not asked in a loop',
  },
  'connections.kinds': {
    source: SOURCE,
    behavior: 'Keys, bearer tokens, passwords, headers, and client credentials are connections as well',
  },
  'connections.origins': {
    source: `${SOURCE}; quality: Security`,
    behavior:
      'A token is sent only to the origin of the tool, and only if its owner has consented to that origin',
  },
  'connections.providers': {
    source: SOURCE,
    behavior:
      'Admins add what people connect to, with presets; its client secret is never returned, and another server or client ends its connections',
  },
  'connections.discovery': {
    source: SOURCE,
    behavior:
      'The authorization server is found from an MCP server or its issuer, unless the metadata are about somebody else',
  },
  'connections.revocation': {
    source: SOURCE,
    behavior: 'Revoking stops all calls at once, and revokes the tokens at the provider if it offers that',
  },
  'connections.revocation.fair': {
    source: 'quality.md, Process',
    behavior:
      'A provider that does not answer keeps no other one from being told that tokens are revoked: spaces and providers take turns',
  },
  'connections.removal': {
    source: SOURCE,
    behavior:
      'The connections of a removed member, and those of a deleted provider, are revoked. The preview of the removal names them',
  },
  'connections.observers': {
    source: SOURCE,
    behavior: 'Whoever waits for a connection is told in the transaction that makes it usable',
  },
  'connections.references': {
    source: `${SOURCE}; quality: Security`,
    behavior:
      "A tool refers to a connection or a provider of its own space, and never to one person's connection",
  },
  'connections.guide': {
    source: 'issue: Documentation',
    behavior: 'The examples of the guide to connections work as they are shown',
  },
} as const;
