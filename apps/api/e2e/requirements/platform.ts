export const platform = {
  'api.examples': {
    source: 'contract: Everything in this file is also in the OpenAPI document',
    behavior: 'Each operation of the OpenAPI document has an example that works as it is shown',
  },
  'api.examples.responses': {
    source: 'console: API reference; issue 22',
    behavior:
      'Each operation that returns JSON has a response as an example, recorded from the service, and every response fits its schema',
  },
  'errors.codes': {
    source: 'spec: Errors',
    behavior:
      'VALIDATION_ERROR 400, UNAUTHORIZED 401, INSUFFICIENT_TOKENS 402, FORBIDDEN 403, NOT_FOUND 404, SERVER_ERROR 500',
  },
  'errors.unavailable': {
    source: 'contract §1',
    behavior: 'A database that cannot be reached in time is 503 UNAVAILABLE with Retry-After on every route',
  },
  'errors.burst': {
    source: 'issue: Availability, pools',
    behavior:
      '200 starts of one space at once wait for each other as long as the database works, and all succeed',
  },
  'errors.flat': {
    source: 'spec: Errors',
    behavior:
      'An error body is exactly success, message and code, and errors if the request is not valid; a 500 tells nothing',
  },
  'errors.fields': {
    source: 'contract: Added after the first trials',
    behavior:
      'VALIDATION_ERROR names each wrong field and what is wrong with it; a missing field is required and nothing else; the message tells the first three',
  },
  'responses.compressed': {
    source: 'contract: Added after the first trials',
    behavior: 'JSON responses above 1 KB are compressed if the client accepts it; streams never are',
  },
  'agents.routes.refusals': {
    source: 'spec: Authentication, Errors; contract §1',
    behavior: 'Every route of an agent is 401 unknown, 403 without access, 404 where there is no such agent',
  },
  'agents.routes.credentials': {
    source: 'spec: Authentication',
    behavior: 'Every route of an agent takes an API key and an access token alike',
  },
  'platform.headers': {
    source: 'quality.md, security',
    behavior: 'Answers carry the security headers and do not say what the service runs on',
  },
  'platform.cors': {
    source: 'contract §1',
    behavior: 'Listed origins alone may read answers, the headers of the protocol included',
  },
  'platform.request-id': {
    source: 'contract §1',
    behavior: 'X-Request-Id on every answer; a printable incoming one is kept',
  },
  'platform.body-bounds': {
    source: 'contract §1',
    behavior:
      'At most 64 contents items, 1,000 keys in inputs, 500 in any other object that is not free-form, 64 levels: ' +
      'else a quick 400 of at most 4 KB, and nobody else waits',
  },
  'platform.unknown-fields': {
    source: 'contract §1',
    behavior: 'Unknown body fields are a 400, also on routes that read no body',
  },
  'platform.slow-bodies': {
    source: 'quality.md, security',
    behavior:
      'Headers, and bodies without a valid credential, arrive within 30 s, or the connection is closed',
  },
  'platform.cursors': {
    source: 'contract §1',
    behavior: 'A forged or altered cursor is a 400',
  },
  'platform.health': {
    source: 'contract §1',
    behavior: 'Liveness, readiness and the OpenAPI document are served without a credential',
  },
  'platform.metrics': {
    source: 'contract §1',
    behavior:
      'GET /metrics, when enabled: what the process has done, executes, and could begin, for whoever has the token',
  },
  'platform.migrations': {
    source: 'stack.md',
    behavior: 'Several processes may start on one empty database at once',
  },
  'platform.rolling': {
    source: 'quality.md, process',
    behavior: 'The previous version keeps running while the next one migrates the database',
  },
} as const;
