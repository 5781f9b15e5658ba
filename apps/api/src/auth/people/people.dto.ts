import { ROLES, type Role } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, IsUUID, MaxLength, MinLength } from 'class-validator';
import { NamedPageDto } from '../../infra/requests/page.dto.ts';
import { IsFilledText } from '../../infra/requests/text.ts';
import {
  IsEmailAddress,
  UserSummaryDto,
  SpaceSummaryDto,
  SpaceNameDto,
} from '../principals/principals.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

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

const MEMBER_SORTS = ['name', '-name', 'createdAt', '-createdAt'] as const;

export class MemberQueryDto extends NamedPageDto {
  /**
   * `name`, or `createdAt`: when the person joined, with `-` in front for descending order. Names are sorted by their first 100
   * characters, whatever the case of the letters.
   */
  @IsOptional()
  @IsIn(MEMBER_SORTS)
  sort?: (typeof MEMBER_SORTS)[number];
}

export class SpacePageDto extends pageOf(SpaceSummaryDto) {}

export class MemberDto {
  user!: UserSummaryDto;
  role!: Role;
  installationAdmin!: boolean;
  createdAt!: string;
}

export class RemoveMemberQueryDto {
  /** The member who takes over the tasks, so that they go on. */
  @IsOptional()
  @IsUUID('loose')
  transferTo?: string;
}

class HoldingsDto {
  /** At most 1,000. */
  @ApiProperty({ type: 'integer' })
  count!: number;
  /** The first 10. */
  names!: string[];
}

class RefusedTaskDto {
  taskId!: string;
  name!: string;
  @ApiProperty({ example: 'workflow.steps.0.kind must not be emit: the owner of the task is not an admin' })
  reason!: string;
}

export class MemberRemovalDto {
  /** Enabled tasks, which would be disabled. */
  tasks!: HoldingsDto;
  /** Those of them that have a schedule. */
  schedules!: HoldingsDto;
  /** Subscriptions of these tasks, by their events. */
  subscriptions!: HoldingsDto;
  /** API keys for the space, which would become invalid. */
  apiKeys!: HoldingsDto;
  /** Connections of the person, which would be revoked. */
  connections!: HoldingsDto;
  /** MCP clients that the person has let into the space, which could no longer call. */
  clients!: HoldingsDto;
  /** Agents, which would be kept. */
  agents!: HoldingsDto;
  /** Tasks with steps that only an admin may own: they would fail if the role were changed to MEMBER. */
  adminTasks!: HoldingsDto;
  /** Tasks that `transferTo` cannot take over, the first 20. */
  refused!: RefusedTaskDto[];
}

export class MemberPageDto extends pageOf(MemberDto) {}

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

class InvitationDto {
  id!: string;
  email!: string;
  role!: Role;
  invitedBy!: UserSummaryDto;
  createdAt!: string;
}

export class InvitationPageDto extends pageOf(InvitationDto) {}

class ReceivedInvitationDto {
  id!: string;
  space!: SpaceNameDto;
  role!: Role;
  invitedBy!: UserSummaryDto;
  createdAt!: string;
}

export class ReceivedInvitationPageDto extends pageOf(ReceivedInvitationDto) {}
