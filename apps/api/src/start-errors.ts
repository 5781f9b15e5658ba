import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { PlatformConfig } from './infra/config/platform-config.ts';
import { StartError } from './infra/config/start-error.ts';

/** How long a program on our port has to say that it is the platform. */
const ASK_MS = 1_000;

const UNTRUSTED =
  'its certificate is not trusted: sslrootcert in DATABASE_URL names the file of another authority';
const SILENT = 'it does not respond';
const CLOSED = 'it closed the connection, as what is no PostgreSQL does';

/** The errors of a database address that is wrong, of a server that is not running, or of one that cannot be used, by their codes. */
const DATABASE_PROBLEMS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: CLOSED,
  ETIMEDOUT: SILENT,
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'there is no host of that name',
  ENOENT: 'a file or socket that DATABASE_URL names does not exist',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  '28P01': 'it rejects the password',
  '28000': 'it rejects the user, or connections without TLS (sslmode=require in DATABASE_URL)',
  '3D000': 'it has no database of that name',
  '42501': 'the user may not create tables',
  '42601': 'it is older than PostgreSQL 15',
  '53100': 'its disk is full',
  '53300': 'it has no free connections',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};
/** Those of the driver without a code. */
const DRIVER_PROBLEMS: [message: RegExp, reason: string][] = [
  [/connection timeout|timeout expired/, SILENT],
  [/terminated unexpectedly/, CLOSED],
  [/does not support SSL/, 'it does not support TLS, which sslmode in DATABASE_URL asks for'],
];

/**
 * Returns the port to listen on: for 0, one that is free, so that the service knows its address from the beginning. Throws, in
 * sentences, if the service could not listen: before anything is migrated or created.
 */
export async function findPort(config: PlatformConfig): Promise<number> {
  const probe = createServer().listen(config.port, config.host);
  await once(probe, 'listening').catch(async (error: unknown) => {
    throw await explainListenError(error, config);
  });
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Returns the error to show if the service cannot listen. Other errors are returned as they are. */
async function explainListenError(error: unknown, config: PlatformConfig): Promise<unknown> {
  const { host, port } = config;
  const cause = { cause: error };
  switch (codeOf(error) ?? '') {
    case 'EADDRINUSE': {
      const other = `choose another port, for example PORT=${port + 1} npm start`;
      const address = await findRunningPlatform(config);
      return new StartError(
        address === null
          ? `Port ${port} on ${host} is used by another program: stop it, or ${other}.`
          : `The platform already runs at ${address}, with other data: stop it, or ${other}.`,
        cause,
      );
    }
    case 'EACCES':
      return new StartError(
        `Port ${port} may not be used by this user: choose one above 1023, for example PORT=3000 npm start.`,
        cause,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(
        `HOST is ${host}, which is not an address of this machine: use 127.0.0.1 for this machine only, or 0.0.0.0 for all of its addresses.`,
        cause,
      );
    default:
      return error;
  }
}

/** Returns the error to show if the database cannot be used. Other errors are returned as they are. */
export function explainDatabaseError(error: unknown, config: PlatformConfig): unknown {
  const { hostname, port, pathname } = new URL(config.databaseUrl);
  const address = `${hostname}:${port || '5432'}${pathname}`;
  const code = codeOf(error) ?? '';
  if (code === '55P03')
    return new StartError(
      `The database at ${address} cannot be migrated, because a transaction holds a table for too long: see pg_stat_activity for the oldest one, end it, and start again.`,
      { cause: error },
    );
  const message = error instanceof Error ? error.message : '';
  const reason = DATABASE_PROBLEMS[code] ?? DRIVER_PROBLEMS.find(([pattern]) => pattern.test(message))?.[1];
  if (reason === undefined) return error;
  const remedy = config.embedded
    ? 'see postgres.log in the data folder'
    : 'start it, correct DATABASE_URL, or unset DATABASE_URL, and npm start runs a database of its own';
  return new StartError(`The database at ${address} cannot be used, because ${reason}: ${remedy}.`, {
    cause: error,
  });
}

/** The address of a platform that uses our port, or null if another program does. */
async function findRunningPlatform({ host, port }: PlatformConfig): Promise<string | null> {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const address = `http://${name}:${port}`;
  try {
    const response = await fetch(`${address}/api/health/live`, { signal: AbortSignal.timeout(ASK_MS) });
    const { status, checks } = (await response.json()) as { status?: unknown; checks?: unknown };
    return status === 'ok' && typeof checks === 'object' ? address : null;
  } catch {
    return null;
  }
}

/** The code of an error, or of the first attempt if several addresses were tried. */
function codeOf(error: unknown): string | null {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : null;
}
