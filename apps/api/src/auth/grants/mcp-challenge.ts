import { isUuid } from '../../infra/requests/ids.ts';
import { resourceMetadataAddress } from './mcp-address.ts';

/** The `WWW-Authenticate` of a 401 of an MCP server: it tells clients where to sign in (RFC 9728, 5.1). */
export function mcpChallenge(publicUrl: string, spaceId: string, hasCredential: boolean): string {
  // Whatever else is in the path does not belong into a header.
  if (!isUuid(spaceId)) return 'Bearer';
  const parts = [
    ...(hasCredential ? ['error="invalid_token"'] : []),
    `resource_metadata="${resourceMetadataAddress(publicUrl, spaceId)}"`,
    'scope="invoke use"',
  ];
  return `Bearer ${parts.join(', ')}`;
}
