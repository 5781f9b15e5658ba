import { readdirSync } from 'node:fs';
import type { MigrationInterface } from 'typeorm';

type Migration = new () => MigrationInterface;

/** Compiled or not. */
const FILE = /^\d{4}-.*(?<!\.d)\.[jt]s$/;

/** The class that each file `0001-x` of this folder exports, in the order of their numbers. */
export const migrations: Migration[] = await Promise.all(
  readdirSync(import.meta.dirname)
    .filter((file) => FILE.test(file))
    .sort()
    .map(load),
);

async function load(file: string): Promise<Migration> {
  const [migration] = Object.values(
    (await import(new URL(file, import.meta.url).href)) as Record<string, Migration>,
  );
  if (migration === undefined) throw new Error(`${file} exports no migration`);
  return migration;
}
