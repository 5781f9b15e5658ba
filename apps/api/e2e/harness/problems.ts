import type { ErrorBody } from '@platform/contracts';

/** The problems of a refused body as sentences that start with their fields. */
export function problemsOf(body: unknown): string[] {
  return ((body as ErrorBody).errors ?? []).map(({ path, message }) => `${path} ${message}`.trimStart());
}
