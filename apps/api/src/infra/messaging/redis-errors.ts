import { sep } from 'node:path';

const PACKAGES = ['bull', 'ioredis', 'redis-parser', 'redis-errors'].map(
  (name) => `${sep}${['node_modules', name].join(sep)}${sep}`,
);

/** Whether an error was made by a client of Redis: by its reply, by its connection, or by what Bull expected of them. */
export function isOfRedis(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The first place that is a file: some errors are made in a timer of Node.js. A message can name a file, too.
  const isFile = (line: string) => /^ +at /.test(line) && line.includes(sep) && !line.includes('(node:');
  const origin = error.stack?.split('\n').find(isFile) ?? '';
  return PACKAGES.some((folder) => origin.includes(folder));
}
