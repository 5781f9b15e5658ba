import {
  CONNECTION_PROVIDER_KINDS,
  PLACEMENTS,
  type ConnectionProviderKind,
  type OAuthClientAuth,
  type OAuthTokenFormat,
} from '@platform/contracts';
import { ApiProperty, OmitType, PartialType, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { Nullable } from '../../infra/requests/nullable.ts';
import { IsFilledText, IsText } from '../../infra/requests/text.ts';
import { checkOAuth, checkOrigins, checkPlacement } from './provider-definition.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const MAP = { type: 'object', additionalProperties: { type: 'string' } } as const;

class OAuthSettingsDto {
  /** Who the authorization server is. Null: it does not say so, and its answers are not checked for it. */
  issuer!: string | null;
  /** Null: people cannot sign in; only the platform itself can get tokens. */
  authorizationEndpoint!: string | null;
  tokenEndpoint!: string;
  /** RFC 7009. Null: tokens cannot be revoked there. */
  revocationEndpoint!: string | null;
  clientId!: string;
  /** Where the client secret is sent: in the header Authorization, in the body, or nowhere. */
  clientAuth!: OAuthClientAuth;
  scopes!: string[];
  /** Added to the address at which people sign in. */
  @ApiProperty(MAP)
  parameters!: Record<string, string>;
  /** For whom tokens are made out (RFC 8707). */
  resource!: string | null;
  tokenFormat!: OAuthTokenFormat;
  /** Whether every answer must name the issuer (RFC 9207). */
  sendsIssuer!: boolean;
}

class OAuthSettingsRequestDto extends PartialType(
  OmitType(OAuthSettingsDto, ['tokenEndpoint', 'clientId'] as const),
) {
  /** @example https://login.example.com/token */
  tokenEndpoint!: string;
  /** @example platform */
  clientId!: string;
}

class PlacementDto {
  in!: (typeof PLACEMENTS)[number];
  /** @example X-Api-Key */
  name!: string;
}

export class CreateConnectionProviderDto {
  /**
   * Unique in the space, also if case is ignored.
   * @example GitHub
   */
  @IsFilledText()
  @MaxLength(120)
  name!: string;

  /** `oauth2`, or the kind of secret that people enter. */
  @IsIn(CONNECTION_PROVIDER_KINDS)
  kind!: ConnectionProviderKind;

  /** The id of the preset that it is made from. */
  @IsOptional()
  @IsText()
  @MaxLength(50)
  preset?: string;

  /**
   * Where tokens may be sent to: at most 20 origins. Whoever connects consents to these; a new one requires to connect again.
   * @example ["https://api.github.com"]
   */
  @FreeForm(checkOrigins)
  @ApiProperty({ type: [String] })
  origins!: string[];

  /** Required for `key` and `header`; a header for the latter. */
  @FreeForm(checkPlacement)
  @ApiProperty({ type: PlacementDto, required: false })
  placement?: PlacementDto;

  /** Required for `oauth2`. */
  @FreeForm(checkOAuth)
  @ApiProperty({ type: OAuthSettingsRequestDto, required: false })
  oauth?: OAuthSettingsRequestDto;

  /** Write-only. */
  @Nullable()
  @IsOptional()
  @IsText()
  @MaxLength(4_000)
  @ApiProperty({ type: 'string', nullable: true, required: false, writeOnly: true })
  clientSecret?: string | null;

  /** What a test of a connection calls with GET; at one of the origins. */
  @Nullable()
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  testUrl?: string | null;
}

export class UpdateConnectionProviderDto extends PartialType(
  PickType(CreateConnectionProviderDto, ['name']),
) {
  /** As in POST /api/connections/providers. */
  @FreeForm((value, path) => (value === undefined ? [] : checkOrigins(value, path)))
  @ApiProperty({ type: [String], required: false })
  origins?: string[];

  @FreeForm(checkPlacement)
  @ApiProperty({ type: PlacementDto, required: false })
  placement?: PlacementDto;

  /**
   * Replaces all settings. Another server, client, or resource requires the client secret again, and ends the connections: their
   * owners sign in again.
   */
  @FreeForm(checkOAuth)
  @ApiProperty({ type: OAuthSettingsRequestDto, required: false })
  oauth?: OAuthSettingsRequestDto;

  /** Null removes it; absent, it is kept. */
  @Nullable()
  @IsOptional()
  @IsText()
  @MaxLength(4_000)
  @ApiProperty({ type: 'string', nullable: true, required: false, writeOnly: true })
  clientSecret?: string | null;

  @Nullable()
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  testUrl?: string | null;
}

export class ConnectionProviderDto {
  id!: string;
  name!: string;
  kind!: ConnectionProviderKind;
  preset!: string | null;
  origins!: string[];
  @ApiProperty({ type: PlacementDto, nullable: true })
  placement!: PlacementDto | null;
  @ApiProperty({ type: OAuthSettingsDto, nullable: true })
  oauth!: OAuthSettingsDto | null;
  /** Whether a client secret is stored. */
  hasClientSecret!: boolean;
  testUrl!: string | null;
  /** What the provider must know as the redirect address of the client. */
  callbackUrl!: string;
  createdAt!: string;
  updatedAt!: string;
}

export class ConnectionProviderPageDto extends pageOf(ConnectionProviderDto) {}

class PresetOAuthDto {
  issuer!: string | null;
  authorizationEndpoint!: string | null;
  tokenEndpoint!: string;
  revocationEndpoint!: string | null;
  clientAuth!: OAuthClientAuth;
  scopes!: string[];
  @ApiProperty(MAP)
  parameters!: Record<string, string>;
  resource!: string | null;
  tokenFormat!: OAuthTokenFormat;
  sendsIssuer!: boolean;
}

export class ConnectionPresetDto {
  /** @example github */
  id!: string;
  name!: string;
  /** Where the client id and secret are made. */
  clientPage!: string;
  origins!: string[];
  testUrl!: string | null;
  oauth!: PresetOAuthDto;
}

export class ConnectionPresetsDto {
  items!: ConnectionPresetDto[];
  /** What a provider must know as the redirect address of the client. */
  callbackUrl!: string;
}

export class DiscoverProviderDto {
  /**
   * The address of an MCP server, or the issuer of an authorization server.
   * @example https://mcp.example.com/mcp
   */
  @IsFilledText()
  @MaxLength(2_000)
  url!: string;
}

export class DiscoveredProviderDto {
  /** Empty if the address is that of an authorization server: it does not say where its tokens are used. */
  origins!: string[];
  oauth!: PresetOAuthDto;
}
