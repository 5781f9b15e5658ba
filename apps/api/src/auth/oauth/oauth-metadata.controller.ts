import { Controller, Get, Header, Param } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { Public } from '../../infra/routes/access.ts';
import { requireUuid } from '../principals/resource-scope.ts';
import { resourceMetadata, serverMetadata } from './metadata.ts';
import { AuthorizationServerMetadataDto, ProtectedResourceMetadataDto } from './oauth.dto.ts';

/** What clients read before they know anything else. */
@Public()
@Controller('.well-known')
export class OAuthMetadataController {
  constructor(private readonly config: PlatformConfig) {}

  /** Describes the authorization server. */
  @Get('oauth-authorization-server')
  @Header('Cache-Control', 'public, max-age=300')
  getAuthorizationServer(): AuthorizationServerMetadataDto {
    return serverMetadata(this.config.publicUrl);
  }

  /** Says who issues access tokens for the MCP server of a space. Does not tell whether there is such a space. */
  @Get('oauth-protected-resource/mcp/:spaceId')
  @Header('Cache-Control', 'public, max-age=300')
  getProtectedResource(@Param('spaceId') spaceId: string): ProtectedResourceMetadataDto {
    return resourceMetadata(this.config.publicUrl, requireUuid(spaceId, `Space ${spaceId}`).toLowerCase());
  }
}
