import type { SecretBox } from '../../infra/crypto/secret-box.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import type { CallCredentials } from '../calls/call-credentials.service.ts';
import type { ListedServer } from '../mcp-client/mcp-listing.service.ts';
import { sameOrigin } from '../http/server-url.ts';
import { authPlace } from './tool-auth.ts';
import type { ToolEntity } from './tool.entity.ts';

/** The server of a tool that is an MCP server, with what authenticates its calls. */
export function serverOf(secrets: SecretBox, tool: ToolEntity): ListedServer {
  const { id: toolId, name: toolName, spaceId, serverUrl, redirects } = tool;
  const credentials = openCredentials(secrets, tool, serverUrl);
  return { spaceId, toolId, toolName, serverUrl, redirects, credentials };
}

/** The credentials of a tool for a server. The secret is sent only to the origin that the admin entered it for. */
export function openCredentials(secrets: SecretBox, tool: ToolEntity, serverUrl: string): CallCredentials {
  const { spaceId, id, auth, authSecret, credentialsVersion: version } = tool;
  if (!sameOrigin(serverUrl, tool.serverUrl)) return { auth: { type: 'none' }, secret: null, version };
  try {
    const secret = authSecret === null ? null : secrets.open(authPlace(spaceId, id), authSecret);
    return { auth, secret, version };
  } catch (cause) {
    const message = `The credentials of the tool ${tool.name} cannot be read; set them again`;
    throw new AppError('TOOL_ERROR', message, { cause });
  }
}
