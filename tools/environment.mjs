import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { keepPostgres } from './postgres.mjs';
import { secretFile } from './secret-file.mjs';

/**
 * The environment of the service, with `close()` for afterwards.
 * `onLost` is told where the database cannot be kept. Without DATABASE_URL it is an embedded installation: database and secret key are made and kept in the data folder.
 */
export async function openEnvironment(onLost) {
  if (process.env.DATABASE_URL) return { env: process.env, close: async () => {} };
  const dataDir = resolve(process.env.PLATFORM_DATA_DIR || '.platform');
  const postgres = await keepPostgres({ dataDir: join(dataDir, 'postgres'), onLost });
  if (postgres.adopted)
    console.log('Found the database still running after an unclean end: it is used as it is.');
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    PLATFORM_EMBEDDED: '1',
    PLATFORM_DATA_DIR: dataDir,
    PLATFORM_SECRET_KEY: process.env.PLATFORM_SECRET_KEY || secretFile(join(dataDir, 'secret.key'), newKey),
  };
  return { env, close: postgres.stop };
}

const newKey = () => randomBytes(32).toString('base64');
