export const toolCalls = {
  'tools.calls.request': {
    source: 'tools.md, Calling a method',
    behavior:
      'The API receives exactly the path, query, headers, cookies, and body that bindings and input say',
  },
  'tools.calls.auth': {
    source: 'spec: Tool import; tools.md, Calling a method',
    behavior:
      'API key in header, query, or cookie, bearer, basic in UTF-8, custom header; no input replaces them',
  },
  'tools.calls.input': {
    source: 'tools.md, Calling a method',
    behavior: 'Input is validated before the call: 400 that names every failing path, and no call',
  },
  'tools.calls.output': {
    source: 'contract §8',
    behavior: 'Every response is a result; JSON if it is JSON, otherwise text; a mismatch is a warning',
  },
  'tools.calls.fields': {
    source: 'issue: output fields',
    behavior:
      'A method returns only the fields of its output that were chosen for it, with the shape around them',
  },
  'tools.calls.numbers': {
    source: 'issue: integers above 2^53',
    behavior: 'Integers that no number holds are sent from strings and returned as strings, with a warning',
  },
  'tools.calls.downloads': {
    source: 'issue: binary responses; tools.md',
    behavior: 'A binary response becomes an attachment of the session; the output refers to it',
  },
  'tools.calls.redirects': {
    source: 'issue: redirects; tools.md',
    behavior:
      'Redirects are followed as the tool says, by default to the same origin, without credentials elsewhere',
  },
  'tools.calls.unreachable': {
    source: 'contract §8; quality.md, outgoing HTTP',
    behavior: 'Blocked, refused, timed out, too large, and cut off are the same 502 TOOL_ERROR',
  },
  'tools.calls.retry': {
    source: 'tools.md, Calling a method',
    behavior:
      'Further attempts after connection failures, 429, and 502 to 504, as configured; Retry-After is kept; the timeout covers all',
  },
  'tools.calls.cache': {
    source: 'tools.md, Calling a method',
    behavior: 'Only 2xx, per input, version of the method, and credentials, until it expires',
  },
  'tools.calls.idempotency': {
    source: 'workflows: Execution, keys',
    behavior:
      'Calls of methods that act carry a key of the step; a call that was cut off is made again only if the tool honors it',
  },
  'tools.calls.secrets': {
    source: 'tools.md, Calling a method',
    behavior: 'Secrets of a tool appear in no output, warning, error, log, or stored response',
  },
  'tools.calls.causation': {
    source: 'issue: loop guard',
    behavior: 'X-Platform-Causation is sent to the platform alone',
  },
  'tools.calls.files': {
    source: 'issue: tools',
    behavior: 'Binary values are files: base64, or attachments of the session',
  },
} as const;
