import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { RedisServer } from './redis.ts';

/** Secrets that are recognized wherever they appear, also encoded. */
export class Canaries {
  private readonly forms = new Map<string, string[]>();

  /** A new secret. */
  plant(name: string, prefix = ''): string {
    const value = `${prefix}canary${randomBytes(12).toString('hex')}`;
    this.learn(name, value);
    return value;
  }

  /** A secret that the service has made. */
  learn(name: string, value: string): void {
    if (value.length < 12) throw new Error(`${name} is too short to be recognized`);
    this.forms.set(name, formsOf(value));
  }

  /** Such as `bearer token in the log: …`, with what surrounds it. */
  leaks(place: string, text: string): string[] {
    const lower = text.toLowerCase();
    return [...this.forms].flatMap(([name, forms]) => {
      const at = forms.map((form) => lower.indexOf(form)).find((found) => found >= 0);
      if (at === undefined) return [];
      return [`${name} in ${place}: ${text.slice(Math.max(0, at - 120), at + 60)}`];
    });
  }
}

/** The secret as it is, in hexadecimal, and in base64 wherever it begins in the encoded bytes. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((before) =>
    // Without the characters that depend on the bytes around it.
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(before === 0 ? 0 : before + 1)
      .replace(/.{0,4}$/, ''),
  );
  return [value, bytes.toString('hex'), ...base64].map((form) => form.toLowerCase());
}

/** All rows of all tables as text, by table; binary values are hexadecimal. */
export async function dumpDatabase(url: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
       where relkind = 'r' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace,
         'pg_toast'::regnamespace)`,
    );
    const dump = new Map<string, string>();
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
      if (rows.length > 0) dump.set(name, rows.map(({ text }) => text).join('\n'));
    }
    return dump;
  } finally {
    await client.end();
  }
}

const READ: Record<string, (key: string) => [string, ...(string | number)[]]> = {
  string: (key) => ['GET', key],
  list: (key) => ['LRANGE', key, 0, -1],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, 0, -1],
  hash: (key) => ['HGETALL', key],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** All keys of Redis with their values, as text. */
export async function dumpRedis(redis: RedisServer): Promise<Map<string, string>> {
  const dump = new Map<string, string>();
  for (const key of (await redis.command('KEYS', '*')) as string[]) {
    const read = READ[String(await redis.command('TYPE', key))];
    // A key can end in between.
    if (read) dump.set(key, `${key} ${JSON.stringify(await redis.command(...read(key)))}`);
  }
  return dump;
}

/** All files of a folder as text, by their path. */
export async function dumpFiles(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const)),
  );
}
