import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FOLDER_LOCKED } from './folder-lock.mjs';
import { keepPostgres } from './postgres.mjs';
import { readOrCreateSecret } from './secret-file.mjs';

/**
 * Returns the environment variables of the service, and `close()`. Without DATABASE_URL, the installation is embedded:
 * the database and the secret key are created in the data folder. `onLost` is called if the database cannot be restarted.
 */
export async function openEnvironment(onLost) {
  if (process.env.DATABASE_URL) return { env: process.env, close: async () => {} };
  const dataDir = resolve(process.env.PLATFORM_DATA_DIR || '.platform');
  const postgres = await keepPostgres({ dataDir: join(dataDir, 'postgres'), onLost }).catch((error) => {
    throw explained(error, dataDir);
  });
  // What an earlier instance left behind.
  rmSync(addressFile(dataDir), { force: true });
  if (postgres.adopted)
    console.log('The database was still running after an unclean shutdown. It is used as it is.');
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    PLATFORM_EMBEDDED: '1',
    PLATFORM_DATA_DIR: dataDir,
    PLATFORM_SECRET_KEY:
      process.env.PLATFORM_SECRET_KEY || readOrCreateSecret(join(dataDir, 'secret.key'), newKey),
  };
  return { env, close: postgres.stop };
}

const newKey = () => randomBytes(32).toString('base64');

/** Where the running service stores its address; see `apps/api/src/infra/runtime/address-file.ts`. */
const addressFile = (dataDir) => join(dataDir, 'address');

/** Turns what a newcomer can run into into one sentence with the remedy. */
function explained(error, dataDir) {
  if (error.code === FOLDER_LOCKED) {
    const file = addressFile(dataDir);
    const at = existsSync(file) ? ` at ${readFileSync(file, 'utf8').trim()}` : '';
    return new Error(
      `The platform already runs${at} with the data in ${dataDir} (pid ${error.pid}): use it, stop it, or start another ` +
        'one with "npm start -- --port 3001 --data-dir .platform-2".',
    );
  }
  if (FOLDER_PROBLEMS.includes(error.code)) {
    return new Error(
      `The data folder ${dataDir} cannot be used (${error.code}): set PLATFORM_DATA_DIR to a folder that you may write to.`,
    );
  }
  return error;
}

const FOLDER_PROBLEMS = ['EACCES', 'EEXIST', 'ENOTDIR', 'EPERM', 'EROFS'];
