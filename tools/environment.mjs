import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { keepPostgres } from './postgres.mjs';
import { readOrCreateSecret } from './secret-file.mjs';

/**
 * Returns the environment variables of the service, and `close()`. Without DATABASE_URL, the installation is embedded:
 * the database and the secret key are created in the data folder. `onLost` is called if the database cannot be restarted.
 */
export async function openEnvironment(onLost) {
  if (process.env.DATABASE_URL) return { env: process.env, close: async () => {} };
  const dataDir = resolve(process.env.PLATFORM_DATA_DIR || '.platform');
  const postgres = await keepPostgres({ dataDir: join(dataDir, 'postgres'), onLost });
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
