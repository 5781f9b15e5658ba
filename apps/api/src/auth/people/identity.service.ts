import { Injectable } from '@nestjs/common';
import type { CreatedApiKey, KeyScope, Role, SpaceSummary, UserSummary } from '@platform/contracts';
import { In, IsNull, type EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { mintKey } from '../../infra/crypto/api-tokens.ts';
import { hashPassword, verifyPassword } from '../../infra/crypto/passwords.ts';
import { insertRow, insertRowIfAbsent } from '../../infra/database/entity-rows.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { ApiKeyEntity } from '../credentials/api-key.entity.ts';
import { toApiKey } from '../credentials/api-keys.store.ts';
import { listRevokedCallers } from '../credentials/credentials.store.ts';
import { MembershipEntity } from '../principals/membership.entity.ts';
import {
  findMembers,
  findMembership,
  findRoles,
  insertMembership,
  listAllMembers,
  listFirstSpaces,
} from './memberships.store.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { missingOrForeign, requireUuid } from '../principals/resource-scope.ts';
import { SpaceEntity } from '../principals/space.entity.ts';
import { UserEntity } from '../principals/user.entity.ts';
import { findUserByEmail, toUser } from '../principals/users.store.ts';

export interface NewUser {
  email: string;
  name: string;
  /** In plain text; stored as a hash. */
  password: string;
  /** Whether the password must be changed at the first sign-in. */
  passwordTemporary?: boolean;
  installationAdmin?: boolean;
}

export interface NewApiKey {
  spaceId: string;
  userId: string;
  name: string;
  scopes: readonly KeyScope[];
  /** Default: never. */
  expiresAt?: Date | null;
}

export type SpaceMember = UserSummary & { role: Role };

/** The most spaces that the response to a sign-in lists. */
const MAX_SPACES = 200;

/** Users, spaces, and memberships, for the other modules and the seed. */
@Injectable()
export class IdentityService {
  private readonly manager: EntityManager;

  constructor(database: Database) {
    this.manager = database.manager;
  }

  /** Returns users by id; unknown ids are omitted. */
  async findUsersByIds(ids: string[], tx = this.manager): Promise<Map<string, UserSummary>> {
    if (ids.length === 0) return new Map();
    const users = await tx.findBy(UserEntity, { id: In(ids) });
    return new Map(users.map((user) => [user.id, toUser(user)]));
  }

  async findUserByEmail(email: string, tx = this.manager): Promise<UserSummary | null> {
    const user = await findUserByEmail(tx, email);
    return user && toUser(user);
  }

  hasUsers(tx = this.manager): Promise<boolean> {
    return tx.exists(UserEntity);
  }

  /** Whether the account exists and has this password. */
  async hasPassword(email: string, password: string): Promise<boolean> {
    const user = await findUserByEmail(this.manager, email);
    return verifyPassword(password, user?.passwordHash ?? null);
  }

  /** Returns all members of a space, by name. */
  async listMembers(spaceId: string, tx = this.manager): Promise<SpaceMember[]> {
    const members = await listAllMembers(tx, spaceId);
    return members.map(({ user, role }) => ({ ...toUser(user), role }));
  }

  /** Returns members with a part of their name or address, in no order. */
  searchMembers(
    spaceId: string,
    text: string,
    limit: number,
  ): Promise<Pick<UserSummary, 'id' | 'name' | 'email'>[]> {
    return findMembers(this.manager, spaceId, text, limit);
  }

  /** Throws NOT_FOUND for a space that does not exist, and FORBIDDEN unless it is that of the credential. */
  async assertOwnSpace(caller: UserPrincipal, spaceId: string): Promise<void> {
    const label = `Space ${spaceId}`;
    const id = requireUuid(spaceId, label).toLowerCase();
    if (id !== caller.spaceId) throw await missingOrForeign(this.manager, SpaceEntity, { id }, label);
  }

  async isMember(spaceId: string, userId: string, tx = this.manager): Promise<boolean> {
    return (await this.findRole(spaceId, userId, tx)) !== null;
  }

  /** Throws NOT_FOUND, or FORBIDDEN if the user is a member of other spaces only. */
  async assertMember(spaceId: string, userId: string): Promise<void> {
    const label = `Member ${userId}`;
    requireUuid(userId, label);
    if (await this.isMember(spaceId, userId)) return;
    throw await missingOrForeign(this.manager, MembershipEntity, { userId, removedAt: IsNull() }, label);
  }

  /** Returns the role of a member, or null if the user is not a member. */
  async findRole(spaceId: string, userId: string, tx = this.manager): Promise<Role | null> {
    const member = await tx.findOneBy(MembershipEntity, { spaceId, userId, removedAt: IsNull() });
    return member?.role ?? null;
  }

  /**
   * As `findRole`, and keeps the role until the transaction ends. Without the lock, what is made during a removal or a change of
   * the role would outlive it.
   */
  async lockRole(tx: EntityManager, spaceId: string, userId: string): Promise<Role | null> {
    const where = { spaceId, userId, removedAt: IsNull() };
    const member = await tx.findOne(MembershipEntity, { where, lock: { mode: 'pessimistic_read' } });
    return member?.role ?? null;
  }

  /** Whether the person may create accounts and add anyone to a space. */
  isInstallationAdmin(userId: string, tx = this.manager): Promise<boolean> {
    return tx.existsBy(UserEntity, { id: userId, installationAdmin: true });
  }

  /**
   * Returns the person as a caller without a request, such as the owner of a task that runs, or null if the person is not
   * a member of the space.
   */
  async findPrincipal(spaceId: string, userId: string, tx = this.manager): Promise<UserPrincipal | null> {
    const role = await this.findRole(spaceId, userId, tx);
    return role && toPrincipal(spaceId, userId, role);
  }

  /** Whether the credential of a person is valid still, and the person a member. */
  async isSignedIn(person: UserPrincipal): Promise<boolean> {
    return (await listRevokedCallers(this.manager, [['', person]])).length === 0;
  }

  /** As `findPrincipal`, for several people with one statement. Returns them in their order. */
  async findPrincipals(
    people: readonly { spaceId: string; userId: string }[],
  ): Promise<(UserPrincipal | null)[]> {
    const roles = await findRoles(this.manager, people);
    return people.map(({ spaceId, userId }, i) => {
      const role = roles[i] ?? null;
      return role && toPrincipal(spaceId, userId, role);
    });
  }

  /** Returns the first 200 spaces that a user joined, with the role in each. */
  async listSpaces(userId: string, tx = this.manager): Promise<SpaceSummary[]> {
    return (await listFirstSpaces(tx, userId, MAX_SPACES)).map(toSpace);
  }

  /**
   * Returns the membership in the preferred space, or if the user is not a member of it, in the space joined first; null if
   * the user is not a member of any space.
   */
  async chooseSpace(
    userId: string,
    preferred: string | null,
    tx = this.manager,
  ): Promise<MembershipEntity | null> {
    const chosen = preferred === null ? null : await findMembership(tx, userId, preferred);
    if (chosen !== null) return chosen;
    const [first] = await listFirstSpaces(tx, userId, 1);
    return first ?? null;
  }

  /** The oldest space of the installation, or null if there is none. */
  async findFirstSpaceId(tx = this.manager): Promise<string | null> {
    const [space] = await tx.find(SpaceEntity, { select: { id: true }, order: { id: 'ASC' }, take: 1 });
    return space?.id ?? null;
  }

  /** Throws CONFLICT if the email address already has an account, in upper or lower case. */
  async createUser(tx: EntityManager, newUser: NewUser): Promise<UserSummary> {
    const { email, name, password, passwordTemporary = false, installationAdmin = false } = newUser;
    const passwordHash = await hashPassword(password);
    const values = { email, name, passwordHash, passwordTemporary, installationAdmin };
    const user = await insertRowIfAbsent(tx, UserEntity, values);
    if (!user) throw conflict(`${email} already has an account`);
    return toUser(user);
  }

  /** Creates a space. Its creator becomes the first admin. */
  async createSpace(tx: EntityManager, name: string, creatorUserId: string): Promise<SpaceSummary> {
    const { id } = await insertRow(tx, SpaceEntity, { name });
    await this.addMember(tx, id, creatorUserId, 'ADMIN');
    return { id, name, role: 'ADMIN' };
  }

  /** Throws CONFLICT if the user is already a member. */
  async addMember(tx: EntityManager, spaceId: string, userId: string, role: Role): Promise<void> {
    const joined = await insertMembership(tx, spaceId, userId, role);
    if (!joined) throw conflict('This person is already a member of the space');
  }

  /** Creates an API key. Only the result contains the key itself. */
  async createApiKey(tx: EntityManager, newKey: NewApiKey): Promise<CreatedApiKey> {
    const { key, publicId, secretHash } = mintKey('pk');
    const { spaceId, userId, name, scopes, expiresAt = null } = newKey;
    const values = { spaceId, userId, name, scopes: [...scopes], publicId, secretHash, expiresAt };
    return { ...toApiKey(await insertRow(tx, ApiKeyEntity, values)), key };
  }
}

function toPrincipal(spaceId: string, userId: string, role: Role): UserPrincipal {
  const credential = { kind: 'internal', id: userId } as const;
  return { kind: 'user', userId, spaceId, role, credential, causationRunId: null };
}

export function toSpace({ space, role }: MembershipEntity): SpaceSummary {
  return { id: space.id, name: space.name, role };
}
