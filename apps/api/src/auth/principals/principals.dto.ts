import { type Role } from '@platform/contracts';
import { Matches } from 'class-validator';

export const IsEmailAddress = () =>
  Matches(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { message: '$property must be an e-mail address' });

export class UserSummaryDto {
  id!: string;
  email!: string;
  name!: string;
}

export class SpaceSummaryDto {
  id!: string;
  name!: string;
  /** The caller's role in the space. */
  role!: Role;
}

export class SpaceNameDto {
  id!: string;
  name!: string;
}
