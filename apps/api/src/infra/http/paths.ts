/** Everything of the service itself lives under this; the relay alone does not. */
export const API_PREFIX = '/api';
export const RELAY_PREFIX = '/models/v1';

/** Whether an OpenAI client asks; routes match in any case. */
export function isRelayPath(path: string): boolean {
  return /^\/models\/v1(\/|$)/i.test(path);
}

/** Whether an address belongs to the service, and so must never be answered by the console's page. */
export function isServicePath(path: string): boolean {
  return /^\/(api|models|metrics)(\/|$)/.test(path);
}
