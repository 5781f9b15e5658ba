import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Readers of streams that take less than they are offered, each by a socket of its own. */
export class SlowReaders {
  private readonly sockets: Socket[] = [];

  constructor(private readonly url: string) {}

  /** Asks for a stream; nothing of it is read. */
  attach(path: string, apiKey: string): void {
    const { hostname, port } = new URL(this.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);
    this.sockets.push(socket);
  }

  /** Every reader takes so many bytes a second, for so long. */
  async read(bytesPerSecond: number, ms: number): Promise<void> {
    const steps = 4;
    for (let end = performance.now() + ms; performance.now() < end;) {
      // Not all at once: readers do not know of one another.
      for (let step = 0; step < steps; step++) {
        for (let i = step; i < this.sockets.length; i += steps) this.sockets[i]?.read(bytesPerSecond);
        await delay(1_000 / steps);
      }
    }
  }

  get alive(): number {
    return this.sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
