import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(import.meta.dirname, '../../src');
const CALL = /ailpoint\(\s*'([^']+)'/g;

/** Every failpoint of the event bus and of the runs, as the source has them: a new one is tested without being listed. */
export const FAILPOINTS = globSync('{events,tasks,applications,data}/**/*.ts', { cwd: SRC })
  .flatMap((file) =>
    Array.from(readFileSync(join(SRC, file), 'utf8').matchAll(CALL), ([, name = '']) => name),
  )
  .sort();
