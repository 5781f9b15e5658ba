export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name);
}

/** Whether a text can be sent in a header: Latin-1 without line breaks and other control characters. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

const MANAGED_HEADERS = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header is set by the platform alone, so that no value of an input can set it. */
export function isManagedHeader(name: string): boolean {
  return MANAGED_HEADERS.has(name.toLowerCase()) || /^(?:proxy|sec|x-platform)-/i.test(name);
}

/** Whether a tool can authenticate with a header. */
export function canAuthenticate(name: string): boolean {
  return !isManagedHeader(name) || /^(?:authorization|cookie)$/i.test(name);
}
