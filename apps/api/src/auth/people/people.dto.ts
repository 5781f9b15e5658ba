import { ROLES, type Role } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { IsFilledText } from '../../infra/requests/text.ts';
import {
  IsEmailAddress,
  UserSummaryDto,
  SpaceSummaryDto,
  SpaceNameDto,
} from '../principals/principals.dto.ts';

export class CreateSpaceDto {
  @IsFilledText()
  @MaxLength(200)
  name!: string;
}

export class AddMemberDto {
  @IsEmailAddress()
  @MaxLength(320)
  email!: string;

  /** The name of a new person. Default: the part of the email address before the @. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  name?: string;

  @IsIn(ROLES)
  role!: Role;

  /**
   * The password of a new person, at least 10 characters. Only an installation administrator may set it. By default, a
   * temporary password is generated and returned only in this response.
   */
  @IsOptional()
  @IsString()
  @MinLength(10)
  @MaxLength(1000)
  password?: string;
}

export class UpdateMemberDto {
  @IsOptional()
  @IsIn(ROLES)
  role?: Role;

  /** Whether the person may create people and add anyone without an invitation. Only such a person may change it. */
  @IsOptional()
  @IsBoolean()
  installationAdmin?: boolean;
}

export class SpacePageDto {
  items!: SpaceSummaryDto[];
  nextCursor!: string | null;
}

export class MemberDto {
  user!: UserSummaryDto;
  role!: Role;
  installationAdmin!: boolean;
  createdAt!: string;
}

export class MemberPageDto {
  items!: MemberDto[];
  nextCursor!: string | null;
}

export class AddedMemberDto {
  user!: UserSummaryDto;
  role!: Role;
  /** Returned only once, and only if the person is new and no password was given. */
  temporaryPassword?: string;
}

export class InvitedMemberDto {
  /** The same whether or not the email address has an account. */
  @ApiProperty({ enum: ['invited'] })
  status!: 'invited';
}

export class InvitationDto {
  id!: string;
  email!: string;
  role!: Role;
  invitedBy!: UserSummaryDto;
  createdAt!: string;
}

export class InvitationPageDto {
  items!: InvitationDto[];
  nextCursor!: string | null;
}

export class ReceivedInvitationDto {
  id!: string;
  space!: SpaceNameDto;
  role!: Role;
  invitedBy!: UserSummaryDto;
  createdAt!: string;
}

export class ReceivedInvitationPageDto {
  items!: ReceivedInvitationDto[];
  nextCursor!: string | null;
}
