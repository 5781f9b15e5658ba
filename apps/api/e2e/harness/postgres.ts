import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';
import { throwawayPostgres, type ThrowawayPostgres } from '../../../../tools/postgres.mjs';
import { migrate } from '../../src/infra/database/migrate.ts';

/** A PostgreSQL of a test's own, to be treated badly; what it has committed survives its crashes. */
export class PostgresServer {
  private frozen: number[] = [];

  private constructor(private readonly server: ThrowawayPostgres) {}

  static async start(): Promise<PostgresServer> {
    return new PostgresServer(await throwawayPostgres({ durable: true }));
  }

  /** A migrated database of its own. */
  async database(): Promise<string> {
    const name = `e2e_${randomBytes(6).toString('hex')}`;
    const client = new pg.Client({ connectionString: this.server.url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    const url = this.server.urlOf(name);
    await migrate(url);
    return url;
  }

  /** A crash, and the start after it. */
  restart(): Promise<void> {
    return this.server.restart();
  }

  /** Connections stand, nobody answers, and nobody opens another. */
  async freeze(): Promise<void> {
    const first = this.server.pid();
    process.kill(first, 'SIGSTOP');
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const all = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    const children = all.filter(([, parent]) => parent === first).map(([pid = 0]) => pid);
    this.frozen = [first, ...children];
    for (const pid of children) signal(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.frozen.splice(0).reverse()) signal(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    this.thaw();
    await this.server.stop();
  }
}

/** A child may have ended by itself. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
