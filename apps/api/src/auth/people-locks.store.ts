import type { EntityManager } from 'typeorm';
import { rows } from '../infra/database/rows.ts';

const INSTALLATION_LOCK = 720_010;

// Taken in this order, so that no two transactions wait for each other: installation, space, person.
// `no key update` leaves room for the foreign keys of what others write meanwhile.

/** Who is an installation administrator stays as it is until the transaction ends. */
export async function lockInstallation(tx: EntityManager): Promise<void> {
  await rows(tx, 'select pg_advisory_xact_lock($1)', [INSTALLATION_LOCK]);
}

/** The roles and invitations of the space are changed by one transaction at a time. */
export async function lockSpace(tx: EntityManager, spaceId: string): Promise<void> {
  await rows(tx, 'select 1 from space where id = $1 for no key update', [spaceId]);
}

/** The person's keys and invitations are made by one transaction at a time. */
export async function lockPerson(tx: EntityManager, userId: string): Promise<void> {
  await rows(tx, 'select 1 from platform_user where id = $1 for no key update', [userId]);
}
