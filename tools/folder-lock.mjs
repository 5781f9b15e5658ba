import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;
/** The code of the error for a folder that another process holds; `pid` is that process. */
export const FOLDER_LOCKED = 'FOLDER_LOCKED';

/**
 * Locks a folder for this process and returns a function that releases it. Throws if another process has the lock.
 * The kernel releases the lock when its process ends, so it cannot become stale, and reused pids do not matter.
 */
export function lockFolder(folder) {
  const lock = new DatabaseSync(join(folder, 'lock'));
  const holder = join(folder, 'lock.pid');
  try {
    lock.exec('pragma journal_mode = off; begin exclusive');
  } catch (error) {
    lock.close();
    if (error.errcode !== SQLITE_BUSY) throw error;
    const pid = readFileSync(holder, 'utf8');
    throw Object.assign(new Error(`already running, pid ${pid}: it holds ${folder}`, { cause: error }), {
      code: FOLDER_LOCKED,
      pid,
    });
  }
  writeFileSync(holder, String(process.pid));
  return () => lock.close();
}
