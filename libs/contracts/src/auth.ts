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

export interface SignedIn {
  accessToken: string;
  /** Seconds the access token is good for. */
  expiresIn: number;
  user: UserSummary;
  space: SpaceSummary;
  spaces: SpaceSummary[];
}

export interface Me {
  user: UserSummary;
  space: SpaceSummary;
  spaces: SpaceSummary[];
  credential: 'api-key' | 'access-token';
}

export interface ChangePasswordRequest {
  currentPassword: string;
  newPassword: string;
}

export interface CreateSpaceRequest {
  name: string;
}

export interface Member {
  user: UserSummary;
  role: Role;
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

export interface UpdateMemberRequest {
  role: Role;
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

export interface CreateApiKeyRequest {
  name: string;
  /** ISO 8601; none: never. */
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
