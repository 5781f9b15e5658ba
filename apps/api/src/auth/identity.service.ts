import { Injectable } from '@nestjs/common';
import type { CreatedApiKey, Role, SpaceSummary, UserSummary } from '@platform/contracts';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { mintKey } from '../infra/crypto/api-tokens.ts';
import { hashPassword, verifyPassword } from '../infra/crypto/passwords.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { conflict } from '../infra/http/app-error.ts';
import { MembershipEntity } from './membership.entity.ts';
import type { UserPrincipal } from './principal.ts';
import { missingOrForeign, requireUuid } from './resource-scope.ts';

export interface NewUser {
  email: string;
  name: string;
  /** In plain; stored as its hash. */
  password: string;
  /** Has to be changed at the first sign-in. */
  passwordTemporary?: boolean;
  /** May create people; the first account of an installation. */
  installationAdmin?: boolean;
}

export interface NewApiKey {
  spaceId: string;
  userId: string;
  name: string;
  /** None: never. */
  expiresAt?: Date | null;
}

export type SpaceMember = UserSummary & { role: Role };

/** A space of a person, and since when. */
export type Home = SpaceSummary & { joinedAt: Date };

/** As many as the answer of a sign-in holds. */
const MOST_SPACES = 200;

const HOMES = `
  select s.id, s.name, m.role, m.created_at as "joinedAt"
  from membership m join space s on s.id = m.space_id`;

/** People, spaces and who belongs where, for the other modules and the seed. */
@Injectable()
export class IdentityService {
  constructor(private readonly database: DataSource) {}

  /** By id; unknown ids are left out. */
  async findUsersByIds(ids: string[], sql: Sql = this.database): Promise<Map<string, UserSummary>> {
    if (ids.length === 0) return new Map();
    const users = await rows<UserSummary>(
      sql,
      'select id, email, name from platform_user where id = any($1::uuid[])',
      [ids],
    );
    return new Map(users.map((user) => [user.id, user]));
  }

  findUserByEmail(email: string, sql: Sql = this.database): Promise<UserSummary | null> {
    return firstRow<UserSummary>(
      sql,
      'select id, email, name from platform_user where lower(email) = lower($1)',
      [email],
    );
  }

  /** Whether there is any account yet. */
  async hasUsers(sql: Sql = this.database): Promise<boolean> {
    return (await firstRow(sql, 'select id from platform_user limit 1')) !== null;
  }

  /** Whether the account stands and that is still its password. */
  async hasPassword(email: string, password: string): Promise<boolean> {
    const user = await firstRow<{ hash: string }>(
      this.database,
      'select password_hash as hash from platform_user where lower(email) = lower($1)',
      [email],
    );
    return verifyPassword(password, user?.hash ?? null);
  }

  /** Everybody in a space, by name. */
  listMembers(spaceId: string, sql: Sql = this.database): Promise<SpaceMember[]> {
    return rows<SpaceMember>(
      sql,
      `select u.id, u.email, u.name, m.role
       from membership m join platform_user u on u.id = m.user_id
       where m.space_id = $1 and m.removed_at is null order by u.name, u.id`,
      [spaceId],
    );
  }

  async isMember(spaceId: string, userId: string, sql: Sql = this.database): Promise<boolean> {
    return (await this.findRole(spaceId, userId, sql)) !== null;
  }

  /** Throws NOT_FOUND, or FORBIDDEN if the user is a member of other spaces only. */
  async assertMember(spaceId: string, userId: string): Promise<void> {
    const label = `Member ${userId}`;
    requireUuid(userId, label);
    if (await this.isMember(spaceId, userId)) return;
    const where = { userId, removedAt: IsNull() };
    throw await missingOrForeign(this.database.manager, MembershipEntity, where, label);
  }

  /** Null: not a member. */
  async findRole(spaceId: string, userId: string, sql: Sql = this.database): Promise<Role | null> {
    const member = await firstRow<{ role: Role }>(
      sql,
      'select role from membership where space_id = $1 and user_id = $2 and removed_at is null',
      [spaceId, userId],
    );
    return member?.role ?? null;
  }

  /** Whether the person may create people and add anybody to a space directly. */
  async isInstallationAdmin(userId: string, sql: Sql = this.database): Promise<boolean> {
    const admin = await firstRow(sql, 'select 1 from platform_user where id = $1 and installation_admin', [
      userId,
    ]);
    return admin !== null;
  }

  /**
   * The person as a caller without a request, such as the owner of a task that runs; null if the person
   * is not a member of the space now.
   */
  async findPrincipal(
    spaceId: string,
    userId: string,
    sql: Sql = this.database,
  ): Promise<UserPrincipal | null> {
    const role = await this.findRole(spaceId, userId, sql);
    if (role === null) return null;
    const credential = { kind: 'internal', id: userId } as const;
    return { kind: 'user', userId, spaceId, role, credential, causationRunId: null };
  }

  /** The first 200 spaces of a user with the role in each, the first joined first. */
  async spacesOf(userId: string, sql: Sql = this.database): Promise<SpaceSummary[]> {
    const homes = await rows<Home>(
      sql,
      `${HOMES} where m.user_id = $1 and m.removed_at is null
       order by m.created_at, m.space_id limit ${MOST_SPACES}`,
      [userId],
    );
    return homes.map(toSpace);
  }

  /** The wanted space if the person belongs to it, else the one joined first; null for a member of none. */
  async homeOf(userId: string, wanted: string | null, sql: Sql = this.database): Promise<Home | null> {
    return (
      (wanted === null ? null : await this.findHome(userId, wanted, sql)) ??
      firstRow<Home>(
        sql,
        `${HOMES} where m.user_id = $1 and m.removed_at is null order by m.created_at, m.space_id limit 1`,
        [userId],
      )
    );
  }

  /** Null: not a member. */
  findHome(userId: string, spaceId: string, sql: Sql = this.database): Promise<Home | null> {
    return firstRow<Home>(sql, `${HOMES} where m.user_id = $1 and m.space_id = $2 and m.removed_at is null`, [
      userId,
      spaceId,
    ]);
  }

  /** 409 where the e-mail, in any case, has an account already. */
  async createUser(tx: EntityManager, newUser: NewUser): Promise<UserSummary> {
    const { email, name, password, passwordTemporary = false, installationAdmin = false } = newUser;
    const user = await firstRow<UserSummary>(
      tx,
      `insert into platform_user (email, name, password_hash, password_temporary, installation_admin)
       values ($1, $2, $3, $4, $5)
       on conflict (lower(email)) do nothing returning id, email, name`,
      [email, name, await hashPassword(password), passwordTemporary, installationAdmin],
    );
    if (!user) throw conflict(`${email} has an account already`);
    return user;
  }

  /** A new space, whose maker becomes its first admin. */
  async createSpace(tx: EntityManager, name: string, makerUserId: string): Promise<SpaceSummary> {
    const [space] = await rows<{ id: string }>(tx, 'insert into space (name) values ($1) returning id', [
      name,
    ]);
    if (!space) throw new Error('The space was not stored');
    await this.addMember(tx, space.id, makerUserId, 'ADMIN');
    return { id: space.id, name, role: 'ADMIN' };
  }

  /** 409 where the user is a member already; one who was removed may come back. */
  async addMember(tx: EntityManager, spaceId: string, userId: string, role: Role): Promise<void> {
    const [joined] = await rows(
      tx,
      `insert into membership (space_id, user_id, role) values ($1, $2, $3)
       on conflict (space_id, user_id) do update
         set role = excluded.role, removed_at = null, created_at = clock_timestamp()
         where membership.removed_at is not null
       returning user_id`,
      [spaceId, userId, role],
    );
    if (!joined) throw conflict('This person is a member of the space already');
  }

  /** Makes an API key; the answer is the only place where it is ever seen whole. */
  async createApiKey(
    tx: EntityManager,
    { spaceId, userId, name, expiresAt = null }: NewApiKey,
  ): Promise<CreatedApiKey> {
    const { key, publicId, secretHash } = mintKey('pk');
    const [row] = await rows<{ id: string; createdAt: Date }>(
      tx,
      `insert into api_key (space_id, user_id, name, public_id, secret_hash, expires_at)
       values ($1, $2, $3, $4, $5, $6) returning id, created_at as "createdAt"`,
      [spaceId, userId, name, publicId, secretHash, expiresAt],
    );
    if (!row) throw new Error('The API key was not stored');
    return {
      id: row.id,
      name,
      prefix: keyPrefix(publicId),
      key,
      createdAt: row.createdAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
      lastUsedAt: null,
    };
  }
}

/** The beginning of a key, which is no secret. */
export function keyPrefix(publicId: string): string {
  return `pk_${publicId}`;
}

export const toSpace = ({ id, name, role }: SpaceSummary): SpaceSummary => ({ id, name, role });
