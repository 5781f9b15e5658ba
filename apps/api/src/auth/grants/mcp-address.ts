import { isUuid } from '../../infra/requests/ids.ts';

/** The address of the MCP server of a space, which is also the audience of its access tokens (RFC 8707). */
export function mcpAddress(publicUrl: string, spaceId: string): string {
  return `${publicUrl}/mcp/${spaceId}`;
}

/** Returns the space whose MCP server has the address, or null. */
export function spaceOfAddress(publicUrl: string, address: string): string | null {
  const start = mcpAddress(publicUrl, '');
  if (!address.startsWith(start)) return null;
  const id = address.slice(start.length).replace(/\/$/, '').toLowerCase();
  return isUuid(id) ? id : null;
}

/** Where a client reads who issues access tokens for the MCP server of a space (RFC 9728). */
export function resourceMetadataAddress(publicUrl: string, spaceId: string): string {
  return `${publicUrl}/.well-known/oauth-protected-resource/mcp/${spaceId}`;
}
