import { isUuid } from '../../infra/requests/ids.ts';

const UUID_LENGTH = 36;

/** An event as the paths of envelopes and runs name it: `<application id>/<name>`. */
export const formatEventKey = ({ applicationId, name }: { applicationId: string; name: string }): string =>
  `${applicationId}/${name}`;

/** Returns null for a text that is no such name. */
export function parseEventKey(key: string): { applicationId: string; event: string } | null {
  const applicationId = key.slice(0, UUID_LENGTH);
  return isUuid(applicationId) && key[UUID_LENGTH] === '/'
    ? { applicationId, event: key.slice(UUID_LENGTH + 1) }
    : null;
}
