import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from './process.ts';

/** A Redis of a test's own, without a disk, to be treated badly. */
export class RedisServer {
  private child: ChildProcess | null = null;
  private admin: Redis | null = null;

  private constructor(private readonly port: number) {}

  static async start(): Promise<RedisServer> {
    const server = await RedisServer.down();
    await server.start();
    return server;
  }

  /** Has an address, but nobody answers there yet. */
  static async down(): Promise<RedisServer> {
    return new RedisServer(await freePort());
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const program = process.env.REDIS_SERVER_PATH ?? 'redis-server';
    const settings = { port: this.port, bind: '127.0.0.1', save: '', appendonly: 'no', maxmemory: 0 };
    const args = Object.entries({ ...settings, 'maxmemory-policy': 'noeviction' });
    this.child = spawn(
      program,
      args.flatMap(([name, value]) => [`--${name}`, String(value)]),
      { stdio: 'ignore' },
    );
    await once(this.child, 'spawn');
    this.admin = new Redis(this.url, {
      retryStrategy: () => 20,
      maxRetriesPerRequest: null,
      disconnectTimeout: 100,
    });
    this.admin.on('error', () => {});
    await this.admin.ping();
  }

  /** Any command, as an operator would give it. */
  async command(name: string, ...args: (string | number)[]): Promise<unknown> {
    if (this.admin === null) throw new Error('Redis is not running');
    return this.admin.call(name, ...args);
  }

  /** Ends at once and forgets everything. */
  async kill(): Promise<void> {
    const { child } = this;
    this.admin?.disconnect();
    this.admin = this.child = null;
    if (child === null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Connections stand, nobody answers. */
  hang(): void {
    this.child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.child?.kill('SIGCONT');
  }
}
