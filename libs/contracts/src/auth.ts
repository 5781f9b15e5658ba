import type { Page } from './page.ts';

export const ROLES = ['MEMBER', 'ADMIN'] as const;
export type Role = (typeof ROLES)[number];

export interface UserSummary {
  id: string;
  email: string;
  name: string;
}

export interface SpaceSummary {
  id: string;
  name: string;
  /** The caller's role in it. */
  role: Role;
}

export interface LoginRequest {
  email: string;
  password: string;
}

export interface RefreshRequest {
  /** Switches to another space of the same user. */
  spaceId?: string;
}

/** What the person is and may do, whatever the space. */
export interface UserState {
  /** An administrator chose the password: until it is changed, every other call is refused. */
  passwordTemporary: boolean;
  /** May create people and add anybody to a space without an invitation. */
  installationAdmin: boolean;
  canCreateSpaces: boolean;
}

export interface SignInResponse extends UserState {
  accessToken: string;
  /** Seconds the access token is good for. */
  expiresIn: number;
  user: UserSummary;
  space: SpaceSummary;
  /** The first 200; GET /api/spaces lists all. */
  spaces: SpaceSummary[];
}

export interface Me extends UserState {
  user: UserSummary;
  space: SpaceSummary;
  /** The first 200; GET /api/spaces lists all. */
  spaces: SpaceSummary[];
  credential: 'api-key' | 'access-token';
}

export interface ChangePasswordRequest {
  currentPassword: string;
  newPassword: string;
  /** Ids of the person's own keys, in whichever space, or all of them; none: every key stays valid. */
  revokeApiKeys?: string[] | 'all' | null;
}

/** The person, and the API keys that are still valid after the change. */
export interface ChangePasswordResponse extends UserSummary {
  apiKeys: Page<PersonalApiKey>;
}

export interface CreateSpaceRequest {
  name: string;
}

export interface Member {
  user: UserSummary;
  role: Role;
  installationAdmin: boolean;
  createdAt: string;
}

export interface AddMemberRequest {
  email: string;
  name?: string | null;
  role: Role;
  password?: string | null;
}

export interface AddedMember {
  user: UserSummary;
  role: Role;
  /** Shown this once, and only when the person is new and no password was given. */
  temporaryPassword?: string;
}

/** The answer for admins who are no installation administrators, whether or not the address has an account. */
export interface InvitedMember {
  status: 'invited';
}

/** At least one of the two. */
export interface UpdateMemberRequest {
  role?: Role | null;
  /** For installation administrators alone. */
  installationAdmin?: boolean | null;
}

/** A pending invitation, as the admins of the space see it. */
export interface Invitation {
  id: string;
  email: string;
  role: Role;
  invitedBy: UserSummary;
  createdAt: string;
}

/** A pending invitation, as the invited person sees it. */
export interface ReceivedInvitation {
  id: string;
  space: { id: string; name: string };
  role: Role;
  invitedBy: UserSummary;
  createdAt: string;
}

export interface ApiKey {
  id: string;
  name: string;
  /** The public beginning of the key, for recognising it. */
  prefix: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

/** A key in whichever space of its holder. */
export interface PersonalApiKey extends ApiKey {
  space: { id: string; name: string };
}

export interface CreateApiKeyRequest {
  name: string;
  /** ISO 8601; none: never, or with the API key that creates this one. */
  expiresAt?: string | null;
}

export interface CreatedApiKey extends ApiKey {
  /** The whole key, shown this once. */
  key: string;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: UserSummary | null;
  action: string;
  targetType: string;
  targetId: string | null;
  details: Record<string, unknown>;
  requestId: string | null;
}
