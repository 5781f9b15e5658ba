import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A line to a service that can be cut without a word: what is under way hangs, and so does whatever begins meanwhile. */
export class CutLine {
  private isCut = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(serviceUrl: string): Promise<CutLine> {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const line = new CutLine(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const port = Number(new URL(serviceUrl).port);
    server.on('connection', (socket) => {
      line.keep(socket);
      if (line.isCut) return;
      const service = connect(port, '127.0.0.1');
      line.keep(service);
      socket.pipe(service).pipe(socket);
      for (const [end, other] of [
        [socket, service],
        [service, socket],
      ] as const)
        end.on('close', () => other.destroy());
    });
    return line;
  }

  /** Nothing passes any more, and nobody is told. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** New connections pass again. Those of before are gone. */
  restore(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.restore();
    this.server.close();
    await once(this.server, 'close');
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    // The other end may leave at any time.
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
