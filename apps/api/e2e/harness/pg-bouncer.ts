import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './process.ts';

/** PgBouncer does not run as root. */
const NOBODY = 65_534;

/** A PgBouncer in front of a database, with nothing set but what it needs. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    /** The address of the database through it. */
    readonly url: string,
  ) {}

  static async start(databaseUrl: string, mode: 'session' | 'transaction'): Promise<PgBouncer> {
    const url = new URL(databaseUrl);
    const folder = await mkdtemp(join(tmpdir(), 'platform-pgbouncer-'));
    const port = await freePort();
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    const settings = [
      '[databases]',
      `* = host=${url.hostname} port=${url.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${join(folder, 'users.txt')}`,
      `pool_mode = ${mode}`,
    ];
    await writeFile(join(folder, 'users.txt'), `"${user}" "${password}"\n`);
    await writeFile(join(folder, 'pgbouncer.ini'), settings.join('\n'));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(folder, NOBODY, NOBODY);
    const child = spawn(process.env.PGBOUNCER_PATH ?? 'pgbouncer', [join(folder, 'pgbouncer.ini')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin` },
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    let log = '';
    child.stderr.setEncoding('utf8');
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`PgBouncer ended: ${log}`)));
      child.stderr.on('data', (text: string) => {
        log += text;
        if (log.includes('process up')) resolve();
      });
    });
    url.hostname = '127.0.0.1';
    url.port = String(port);
    return new PgBouncer(child, folder, url.href);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
    await rm(this.folder, { recursive: true });
  }
}
