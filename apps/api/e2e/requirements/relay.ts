export const relay = {
  'relay.models': {
    source: 'spec: Relay; contract §8',
    behavior: 'GET /models/v1/models lists the space’s catalog in OpenAI’s shape',
  },
  'relay.completion': {
    source: 'spec: Relay; contract §8',
    behavior:
      'A chat completion goes to the model’s server under its upstream name and key; the bytes come back untouched',
  },
  'relay.stream': {
    source: 'spec: Relay; contract §8',
    behavior:
      'A stream comes back byte for byte while it is written, without the usage chunk that was not asked for',
  },
  'relay.responses': {
    source: 'spec: Relay; contract §8',
    behavior:
      'The Responses API is handed on byte for byte and charged like completions; a server without it is a 404 that names chat completions',
  },
  'relay.responses.stored': {
    source: 'contract, after the first trials',
    behavior:
      'A stored response is retrieved, continued, canceled, and deleted by the key that created it, and its items are used by that key; to every other key, space, and server it is a 404',
  },
  'relay.audio': {
    source: 'contract, after the first trials',
    behavior:
      'Transcriptions and speech are handed on as forms and bytes, within limits, and charged; platform/offline has neither (400)',
  },
  'relay.headers': {
    source: 'contract, after the first trials',
    behavior:
      'x-ratelimit-* and openai-processing-ms reach the caller, also with errors, and OpenAI-Beta the server',
  },
  'relay.unknown': {
    source: 'contract, after the first trials',
    behavior: 'An unknown route below /models/v1 is a 404 in OpenAI’s shape',
  },
  'relay.openai': {
    source: 'issue 19',
    behavior: 'The official client makes every call of the contract, streamed and whole',
  },
  'relay.embeddings': {
    source: 'contract §8; after the first trials',
    behavior: 'Embeddings are handed on; platform/offline makes its own, as numbers or base64',
  },
  'relay.offline': {
    source: 'contract §8',
    behavior:
      'platform/offline answers completions and responses, streamed and whole, tools too, in OpenAI’s shape, and refuses what it cannot do',
  },
  'relay.leaving': {
    source: 'contract §8',
    behavior:
      'A caller that leaves ends the upstream call within a second; what was used is charged as estimated',
  },
  'relay.errors': {
    source: 'contract §8',
    behavior:
      'Every error is {error: {message, type, code, param}}, whoever finds it: 400, 401, 403, 404, 413, 429, 5xx',
  },
  'relay.errors.upstream': {
    source: 'contract §8; quality: Security',
    behavior:
      'Errors of the model’s server keep status, body and Retry-After, and never tell its key or address',
  },
  'relay.errors.order': {
    source: 'contract §1, order of checks',
    behavior: '401, then the body, then 404 model_not_found, then 400, then 402',
  },
  'relay.ledger': {
    source: 'contract §8, Ledger',
    behavior:
      'Each call is charged once with the figures of the server, or estimated without; a refused one is not',
  },
  'relay.ledger.hold': {
    source: 'contract §8, Ledger',
    behavior:
      'Where a limit exists a call holds tokens and gives them back; with nothing left it is a 402 insufficient_quota',
  },
  'relay.shutdown': {
    source: 'quality: Process',
    behavior: 'A shutdown lets running calls end and writes their charges',
  },
} as const;
