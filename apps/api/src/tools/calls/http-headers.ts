import { isManagedHeader } from '@platform/contracts';

export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name);
}

/** Whether a tool can authenticate with a header. */
export function canAuthenticate(name: string): boolean {
  return !isManagedHeader(name) || /^(?:authorization|cookie)$/i.test(name);
}
