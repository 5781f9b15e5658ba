import type { Socket } from 'node:net';
import { Client, type buildConnector, type Dispatcher } from 'undici';

/** What arrives on any connection is copied from here, which costs less than new memory for every read. */
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

/** Options of connections that can stop reading at once, by `pause()`. Others read on until much is waiting. */
export const PAUSABLE = {
  onread: {
    buffer: RECEIVED,
    callback(this: Socket, size: number): boolean {
      return this.push(Buffer.from(RECEIVED.subarray(0, size)));
    },
  },
};

/** A handler that knows the connection of its request, as long as the request is under way. */
export abstract class SocketHandler {
  socketOf: () => Socket | null = () => null;
}

/** A client with one connection, which it tells to each `SocketHandler`. */
export class SocketClient extends Client {
  private readonly socketOf: () => Socket | null;

  constructor(origin: URL, { connect, ...options }: Client.Options & { connect: buildConnector.connector }) {
    let socket: Socket | null = null;
    const connectAndKeep: buildConnector.connector = (target, done) =>
      connect(target, (...outcome) => {
        [, socket] = outcome;
        done(...outcome);
      });
    super(origin, { ...options, connect: connectAndKeep });
    this.socketOf = () => socket;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof SocketHandler) handler.socketOf = this.socketOf;
    return super.dispatch(options, handler);
  }
}
