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
  /** The caller's role in the space. */
  role: Role;
}

export interface LoginRequest {
  email: string;
  password: string;
}

export interface RefreshRequest {
  /** Switches to another space that the user belongs to. */
  spaceId?: string;
}

/** The rights of a user that do not depend on the space. */
export interface UserState {
  /** The password was set by an administrator. Until the user changes it, all other calls are rejected. */
  passwordTemporary: boolean;
  /** Can create users and add anyone to a space without an invitation. */
  installationAdmin: boolean;
  canCreateSpaces: boolean;
}

export interface SignInResponse extends UserState {
  accessToken: string;
  /** Lifetime of the access token in seconds. */
  expiresIn: number;
  user: UserSummary;
  space: SpaceSummary;
  /** The first 200 spaces; `GET /api/spaces` lists all of them. */
  spaces: SpaceSummary[];
}

export interface Me extends UserState {
  user: UserSummary;
  space: SpaceSummary;
  /** The first 200 spaces; `GET /api/spaces` lists all of them. */
  spaces: SpaceSummary[];
  credential: 'api-key' | 'access-token';
}

export interface ChangePasswordRequest {
  currentPassword: string;
  newPassword: string;
  /** Ids of the user's own keys in any space, or `all`. If absent or null, all keys stay valid. */
  revokeApiKeys?: string[] | 'all' | null;
}

/** The user, and the API keys that are still valid after the change. */
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
  /** Returned only here, and only if the user is new and the request contained no password. */
  temporaryPassword?: string;
}

/** The response to admins who are not installation administrators. It does not reveal whether the address has an account. */
export interface InvitedMember {
  status: 'invited';
}

/** At least one field is required. */
export interface UpdateMemberRequest {
  role?: Role | null;
  /** Can be set only by installation administrators. */
  installationAdmin?: boolean | null;
}

/** A pending invitation as admins of the space see it. */
export interface Invitation {
  id: string;
  email: string;
  role: Role;
  invitedBy: UserSummary;
  createdAt: string;
}

/** A pending invitation as the invited user sees it. */
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
  /** The beginning of the key, for identification. It is not secret. */
  prefix: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

/** One of the user's own keys, with the space it belongs to. */
export interface PersonalApiKey extends ApiKey {
  space: { id: string; name: string };
}

export interface CreateApiKeyRequest {
  name: string;
  /** ISO 8601. If absent, the key does not expire, or expires together with the API key that creates it. */
  expiresAt?: string | null;
}

export interface CreatedApiKey extends ApiKey {
  /** The complete key. It is returned only here. */
  key: string;
}

/** What the audit log records: `<noun>.<verb>`. */
export const AUDIT_ACTIONS = [
  'agent.update',
  'agent.delete',
  'agent.restore',
  'api-key.create',
  'api-key.revoke',
  'application.install',
  'application.upgrade',
  'application.uninstall',
  'application.rotate-key',
  'bulk-replay.create',
  'bulk-replay.stop',
  'envelope.replay',
  'event.test',
  'installation-admin.appoint',
  'installation-admin.dismiss',
  'invitation.create',
  'invitation.accept',
  'invitation.decline',
  'invitation.withdraw',
  'knowledge.create',
  'knowledge.delete',
  'member.add',
  'member.update',
  'member.remove',
  'model.create',
  'model.update',
  'model.delete',
  'password.change',
  'space.create',
  'subscription.create',
  'subscription.update',
  'subscription.delete',
  'task.update',
  'task.delete',
  'tool.create',
  'tool.update',
  'tool.delete',
  'tool.configure',
  'tool.add-methods',
  'tool.change-methods',
  'tool.update-method',
  'tool.delete-method',
  'usage.grant',
  'webhook-secret.rotate',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEntry {
  id: string;
  at: string;
  /** Null if the log does not name who acted. */
  actor: UserSummary | null;
  /** One of AUDIT_ACTIONS, or an action that another version recorded. */
  action: string;
  targetType: string;
  targetId: string | null;
  details: Record<string, unknown>;
  requestId: string | null;
}
