import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_FAILPOINTS } from '../../src/events/records/event-failpoints.ts';

const SRC = join(import.meta.dirname, '../../src');
const CALL = /\bfailpoint\(\s*'([^']+)'/g;

/** Bulk actions on runs are not on the path of an event. */
const ELSEWHERE = /^runs\.bulk\./;

/** Every failpoint of the event bus and of the runs, as the source has them: a new one is tested without being listed. */
export const FAILPOINTS: string[] = [
  ...EVENT_FAILPOINTS,
  ...globSync('{tasks,applications,data}/**/*.ts', { cwd: SRC }).flatMap((file) =>
    Array.from(readFileSync(join(SRC, file), 'utf8').matchAll(CALL), ([, name = '']) => name).filter(
      (name) => !ELSEWHERE.test(name),
    ),
  ),
];
