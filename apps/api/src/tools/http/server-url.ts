import { isText } from '../../infra/requests/text.ts';

const MAX_LENGTH = 2_000;

/** What is wrong with the base address of an API, or null. */
export function serverUrlProblem(value: unknown): string | null {
  const url = isText(value) && value.length <= MAX_LENGTH ? URL.parse(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return `must be an http or https address of at most ${MAX_LENGTH} characters`;
  }
  if (url.username !== '' || url.password !== '') return 'must not carry credentials: use auth';
  if (/[?#]/.test(url.href)) return 'must not have a query or a fragment';
  return null;
}

/** Whether credentials for one address may be sent to the other. */
export function sameOrigin(one: string, other: string): boolean {
  const origin = URL.parse(one)?.origin;
  return origin !== undefined && origin === URL.parse(other)?.origin;
}
