import { CONNECTION_OWNERS, type ConnectionOwner } from '@platform/contracts';
import { IsIn, IsOptional, IsUUID, MaxLength } from 'class-validator';
import { IsFilledText, IsText } from '../../infra/requests/text.ts';

export class AuthorizeConnectionDto {
  @IsUUID('all')
  providerId!: string;

  /** Whose connection it becomes. Only admins make those of the space. Default: me. */
  @IsOptional()
  @IsIn(CONNECTION_OWNERS)
  owner?: ConnectionOwner;

  /** A connection of the space to sign in to again. A person's own is found by its provider. */
  @IsOptional()
  @IsUUID('all')
  connectionId?: string;

  /** Default: the name of the provider. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(120)
  name?: string;

  /**
   * The page of the console on which the sign-in ends. Default: /connections.
   * @example /connections
   */
  @IsOptional()
  @IsText()
  @MaxLength(500)
  returnPath?: string;
}

export class AuthorizedConnectionDto {
  /** Where this browser signs in. It leads back to the console. Valid for ten minutes, once. */
  url!: string;
}
