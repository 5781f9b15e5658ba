export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name);
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
