import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { PATIENCE, SETTINGS } from './settings.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** Far more than a start takes, also on a machine with a lot of other work. */
const READY_MS = 120_000;

/** The service as a process of its own, as `npm start` runs it: for tests that kill it. */
export class ServiceProcess {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    child.stdout?.on('data', (data: Buffer) => (this.output += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (this.output += data.toString()));
  }

  /**
   * Starts it and returns at once; `ready()` waits. `preloads`: modules of the API's folder that are loaded before it. `root`: the
   * repository, which can be that of another version.
   */
  static async spawn(
    env: Record<string, string>,
    preloads: string[] = [],
    root = ROOT,
  ): Promise<ServiceProcess> {
    const port = await freePort();
    const imports = [
      join(root, 'tools/swc-hook.mjs'),
      ...preloads.map((file) => join(root, 'apps/api', file)),
    ];
    const args = [
      '--conditions=platform-source',
      ...imports.flatMap((file) => ['--import', file]),
      'src/main.ts',
    ];
    const child = spawn(process.execPath, args, {
      cwd: join(root, 'apps/api'),
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        PORT: String(port),
        PLATFORM_LOG_LEVEL: 'error',
        ...SETTINGS,
        // Without its database, a process that starts would end.
        PLATFORM_DATABASE_CONNECT_MS: PATIENCE.PLATFORM_DATABASE_CONNECT_MS,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServiceProcess(child, `http://127.0.0.1:${port}`);
  }

  async ready(): Promise<this> {
    await eventually(async () => {
      if (this.hasEnded) throw new Error(`The service ended: ${this.output}`);
      const response = await fetch(`${this.url}/api/health/ready`).catch(() => null);
      expect(response?.status).toBe(200);
    }, READY_MS);
    return this;
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('The service did not start');
    return this.child.pid;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** How it ended, with the last of its output; null if it is running. */
  get ending(): string | null {
    const { exitCode, signalCode } = this.child;
    return this.hasEnded ? `${exitCode ?? signalCode}: ${this.output.slice(-4_000)}` : null;
  }

  /** What it printed so far. */
  get printed(): string {
    return this.output;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** The exit code, or the signal that ended it. */
  async exit(): Promise<number | NodeJS.Signals | null> {
    if (!this.hasEnded) await once(this.child, 'exit');
    return this.child.exitCode ?? this.child.signalCode;
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exit();
  }
}

const PORTS = { from: 10_000, count: 20_000, perProcess: 64 };
let asked = 0;

/**
 * A port of the loopback that is free until a process that starts now listens on it: below the ports that the system
 * gives to connections and to servers that name none, and apart from those of test files that run at the same time.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + ((process.pid * PORTS.perProcess + asked++) % PORTS.count);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
