import type { EntityManager } from 'typeorm';
import { rows } from '../../infra/database/rows.ts';

const INSTALLATION_LOCK = 720_010;

// Order of the locks, so that no two transactions wait for each other: installation, space, person.
// `no key update` does not block inserts that refer to the row by a foreign key.

/** Keeps installation administrators from changing until the transaction ends. */
export async function lockInstallation(tx: EntityManager): Promise<void> {
  await rows(tx, 'select pg_advisory_xact_lock($1)', [INSTALLATION_LOCK]);
}

/** Lets one transaction at a time change the roles and invitations of a space. */
export async function lockSpace(tx: EntityManager, spaceId: string): Promise<void> {
  await rows(tx, 'select 1 from space where id = $1 for no key update', [spaceId]);
}

/** Lets one transaction at a time create keys and invitations of a person. */
export async function lockPerson(tx: EntityManager, userId: string): Promise<void> {
  await rows(tx, 'select 1 from platform_user where id = $1 for no key update', [userId]);
}
