import { decodeJwt, errors } from 'jose';
import { deriveKey } from '../../infra/crypto/derive-key.ts';
import { unauthorized } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { systemClock, type Clock } from '../../infra/runtime/clock.ts';
import { mcpAddress } from '../grants/mcp-address.ts';
import { SignedTokens } from './signed-tokens.ts';

/** By which the token of a client is told from that of the console. */
const PREFIX = 'mcp_';
/** How many seconds an access token of a client is valid. */
export const MCP_TOKEN_SECONDS = 900;

/** Access tokens of clients. Each is valid for the MCP server of one space, and as long as its grant. */
export class McpTokens {
  private readonly key: Buffer;

  constructor(
    secretKey: Buffer,
    private readonly publicUrl: string,
    private readonly clock: Clock = systemClock,
  ) {
    this.key = deriveKey(secretKey, 'mcp-access-token');
  }

  static hasForm(credential: string): boolean {
    return credential.startsWith(PREFIX);
  }

  async issue(spaceId: string, userId: string, grantId: string): Promise<string> {
    return (
      PREFIX + (await this.tokensFor(mcpAddress(this.publicUrl, spaceId)).sign(userId, { grant: grantId }))
    );
  }

  /** Returns the id of the grant. Throws UNAUTHORIZED if the token is not valid for the MCP server of the space. */
  async verify(token: string, spaceId: string): Promise<string> {
    try {
      return await this.grantOf(token, mcpAddress(this.publicUrl, spaceId));
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthorized('The access token has expired');
      throw unauthorized('The access token is not valid for the MCP server of this space');
    }
  }

  /** Returns the id of the grant of a valid token, whatever its space, or null. */
  async findGrant(token: string): Promise<string | null> {
    try {
      const { aud } = decodeJwt(token.slice(PREFIX.length));
      return await this.grantOf(token, String(aud));
    } catch {
      return null;
    }
  }

  private async grantOf(token: string, audience: string): Promise<string> {
    const { grant } = await this.tokensFor(audience).verify(token.slice(PREFIX.length));
    if (!isUuid(grant)) throw new Error('The token names no grant');
    return grant;
  }

  private tokensFor(audience: string): SignedTokens {
    const kind = { type: 'mcp-at+jwt', audience, lifetimeSeconds: MCP_TOKEN_SECONDS };
    return new SignedTokens(kind, this.key, this.clock);
  }
}
