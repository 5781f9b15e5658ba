import { OAUTH_SCOPES, type OAuthScope } from '@platform/contracts';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { SpaceNameDto, UserSummaryDto } from '../principals/principals.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

export class OAuthClientDto {
  /** The address of its document, or the id that it was given when it registered itself. */
  id!: string;
  /** What it calls itself. */
  name!: string;
  /** Where its document was read; null for a client that registered itself. */
  host!: string | null;
  /** The host, or the scheme of the program, to which the person is sent. */
  redirectsTo!: string;
  /** Whether that is a program on the device of the person. */
  isLocal!: boolean;
  /** Whether it is certain that the host receives what the person allows. */
  isVerified!: boolean;
  /** When it registered itself; null for a client with a document. */
  registeredAt!: string | null;
}

export class PreviewAuthorizationDto {
  /** The query with which the client sent the person, without the question mark. */
  @IsString()
  @MaxLength(8_000)
  query!: string;
}

export class OAuthAuthorizationDto {
  client!: OAuthClientDto;
  /** What the client may use; null if there is a problem. */
  space!: SpaceNameDto | null;
  /** What the client asks for. */
  scopes!: OAuthScope[];
  /** For the answer, within ten minutes; null if there is a problem. */
  request!: string | null;
  /** Why the person cannot be asked, or null. */
  problem!: string | null;
  /** Where the client learns of the problem, or null. */
  returnTo!: string | null;
}

export class AnswerAuthorizationDto {
  /** That of the preview. */
  @IsString()
  @MaxLength(12_000)
  request!: string;

  @IsBoolean()
  allow!: boolean;

  /** Which of the scopes the person allows. Default: all that the client asks for. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(OAUTH_SCOPES.length)
  @IsIn(OAUTH_SCOPES, { each: true })
  scopes?: OAuthScope[];
}

export class AuthorizationAnswerDto {
  /** Where to send the person: an address of the client, with a code or an error. */
  redirectTo!: string;
}

class OAuthGrantDto {
  id!: string;
  client!: OAuthClientDto;
  /** Who let the client in. */
  user!: UserSummaryDto;
  scopes!: OAuthScope[];
  createdAt!: string;
  lastUsedAt!: string | null;
  /** Unless the client goes on. */
  expiresAt!: string;
}

export class OAuthGrantPageDto extends pageOf(OAuthGrantDto) {}

export class OAuthTokensDto {
  access_token!: string;
  token_type!: 'Bearer';
  /** Seconds. */
  expires_in!: number;
  /** Replaces the one before. */
  refresh_token!: string;
  scope!: string;
}

export class RegisteredClientDto {
  client_id!: string;
  /** Seconds since 1970. */
  client_id_issued_at!: number;
  client_name!: string;
  redirect_uris!: string[];
  grant_types!: string[];
  response_types!: string[];
  token_endpoint_auth_method!: 'none';
}

export class AuthorizationServerMetadataDto {
  issuer!: string;
  authorization_endpoint!: string;
  token_endpoint!: string;
  registration_endpoint!: string;
  revocation_endpoint!: string;
  scopes_supported!: string[];
  response_types_supported!: string[];
  response_modes_supported!: string[];
  grant_types_supported!: string[];
  code_challenge_methods_supported!: string[];
  token_endpoint_auth_methods_supported!: string[];
  revocation_endpoint_auth_methods_supported!: string[];
  authorization_response_iss_parameter_supported!: boolean;
  client_id_metadata_document_supported!: boolean;
}

export class ProtectedResourceMetadataDto {
  resource!: string;
  authorization_servers!: string[];
  scopes_supported!: string[];
  bearer_methods_supported!: string[];
}
