import {
  CONNECTION_OWNERS,
  type ConnectionKind,
  type ConnectionOwner,
  type ConnectionReason,
  type ConnectionStatus,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID, MaxLength } from 'class-validator';
import { IsFilledText, IsText } from '../../infra/requests/text.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

class ConnectedPersonDto {
  id!: string;
  email!: string;
  name!: string;
}

class NamedProviderDto {
  id!: string;
  name!: string;
}

class NamedToolDto {
  id!: string;
  name!: string;
}

export class ConnectionDto {
  id!: string;
  name!: string;
  kind!: ConnectionKind;
  provider!: NamedProviderDto;
  /** Null: the space. */
  @ApiProperty({ type: ConnectedPersonDto, nullable: true })
  owner!: ConnectedPersonDto | null;
  /** The issuer of the tokens, if the provider names one. */
  issuer!: string | null;
  /** What was granted. */
  scopes!: string[];
  /** Where its tokens are sent to, and nowhere else. */
  origins!: string[];
  /** Who the owner is at the provider, if the provider says so. */
  account!: string | null;
  /** EXPIRED: its owner has to sign in again. */
  status!: ConnectionStatus;
  /** Why it is not usable; while it is ACTIVE, why it could not be renewed the last time. */
  reason!: ConnectionReason | null;
  /** When the current token expires; it is renewed before if that is possible. Null: unknown, or never. */
  expiresAt!: string | null;
  /** Whether it renews itself. */
  renews!: boolean;
  lastUsedAt!: string | null;
  /** When a tool last refused it. */
  refusedAt!: string | null;
  createdAt!: string;
}

export class ConnectionDetailDto extends ConnectionDto {
  /** Tools that would stop without it: at most 50. */
  tools!: NamedToolDto[];
}

export class ConnectionPageDto extends pageOf(ConnectionDto) {}

export class CreateConnectionDto {
  @IsUUID('all')
  providerId!: string;

  /** Whose it is. Only admins make those of the space. Default: me. */
  @IsOptional()
  @IsIn(CONNECTION_OWNERS)
  owner?: ConnectionOwner;

  /** Default: the name of the provider. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(120)
  name?: string;

  /**
   * The key, token, password, or value. Write-only. Absent for `oauth2`: then the platform gets tokens of its own (client
   * credentials), for the space.
   */
  @IsOptional()
  @IsText()
  @MaxLength(4_000)
  @ApiProperty({ type: 'string', required: false, writeOnly: true })
  secret?: string;

  /** Required for `basic`. */
  @IsOptional()
  @IsText()
  @MaxLength(1_000)
  username?: string;
}

export class UpdateConnectionDto {
  @IsFilledText()
  @MaxLength(120)
  name!: string;
}

export class ConnectionTestDto {
  /** Whether a tool could call with it now. */
  usable!: boolean;
  /** The status of the response to the test address of the provider; null if it has none, or there was no response. */
  @ApiProperty({ type: 'integer', nullable: true })
  status!: number | null;
  message!: string;
}
