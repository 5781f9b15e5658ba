import type { OAuthClient } from '@platform/contracts';
import type { OAuthClientEntity } from '../grants/oauth-client.entity.ts';
import { targetOf } from './redirect-uris.ts';

/** A client as people see it: what it calls itself, and what is known of it. */
export function toClient(
  { clientId, name, isDocument, readAt }: OAuthClientEntity,
  redirectUri: string,
): OAuthClient {
  const host = isDocument ? new URL(clientId).host : null;
  const { name: redirectsTo, isLocal } = targetOf(redirectUri);
  return {
    id: clientId,
    name,
    host,
    redirectsTo,
    isLocal,
    // Any program on a device can listen there, and use the document of another.
    isVerified: host !== null && !isLocal && host === redirectsTo,
    registeredAt: isDocument ? null : readAt.toISOString(),
  };
}
