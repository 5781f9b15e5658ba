import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import { ArrivingResponse } from './arriving-response.ts';

const MB = 1024 * 1024;

describe('ArrivingResponse', () => {
  let respond: (res: ServerResponse) => void;
  let sockets: Socket[] = [];
  const server = createServer((_, res) => respond(res.writeHead(200)));
  server.on('connection', (socket: Socket) => sockets.push(socket.setNoDelay(true)));
  let http: GuardedHttp;
  let origin: string;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
  });
  beforeEach(() => {
    sockets = [];
    http = new GuardedHttp({ allowPrivate: ['127.0.0.1'] });
  });
  afterEach(() => http.close());
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  async function call(signal = new AbortController().signal): Promise<ArrivingResponse> {
    const response = new ArrivingResponse(signal);
    http.dispatcher().dispatch({ origin, path: '/', method: 'GET' }, response);
    await response.started;
    return response;
  }

  async function textOf(response: ArrivingResponse): Promise<string> {
    let text = '';
    for await (const bytes of response) text += bytes.toString();
    return text;
  }

  const closed = (response: ArrivingResponse) =>
    new Promise<void>((resolve) => response.socketOf()?.once('close', () => resolve()));

  it('receives nothing while it is held, and then all at once', async () => {
    let res: ServerResponse | undefined;
    respond = (made) => (res = made).write('first');
    const response = await call();
    expect(String((await response.next()).value)).toBe('first');

    const release = Promise.withResolvers<void>();
    const held = response.hold(release.promise);
    const { bytesRead } = response.socketOf() ?? {};
    for (const text of ['a', 'b', 'c']) await new Promise((sent) => res?.write(text, sent));
    // Another call over the same loop: its bytes came after those of the held one, and were received.
    respond = (made) => made.end('other');
    expect(await textOf(await call())).toBe('other');
    expect(response.socketOf()?.bytesRead).toBe(bytesRead);

    release.resolve();
    await held;
    expect(String((await response.next()).value)).toBe('abc');
    res?.end('end');
    expect(await textOf(response)).toBe('end');
  });

  it('leaves a connection that the next call can use', async () => {
    respond = (res) => res.end('whole');
    const response = await call();
    await response.hold(Promise.resolve());
    expect(await textOf(response)).toBe('whole');
    // The dispatcher uses a connection again after a turn of the event loop.
    await setImmediate();
    await setImmediate();
    expect(await textOf(await call())).toBe('whole');
    expect(sockets).toHaveLength(1);
  });

  it('lets no more wait than it should, and loses nothing', async () => {
    respond = (res) => res.end('x'.repeat(8 * MB));
    const response = await call();
    const [socket] = sockets;
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    expect(response.socketOf()?.bytesRead).toBeLessThan(MB);
    expect(socket?.destroyed).toBe(false);
    expect((await textOf(response)).length).toBe(8 * MB);
  });

  it('passes on what came before the connection broke', async () => {
    respond = (res) => res.write('some', () => res.destroy());
    const response = await call();
    await closed(response);
    expect(String((await response.next()).value)).toBe('some');
    await expect(response.next()).rejects.toThrow();
  });

  it('closes the connection when it is aborted, also while it is held', async () => {
    respond = (res) => res.write('some');
    const abort = new AbortController();
    const response = await call(abort.signal);
    const held = response.hold(closed(response));
    abort.abort();
    await held;
    await expect(response.next()).rejects.toThrow('aborted');
  });

  it('never begins when it is aborted beforehand', async () => {
    const response = new ArrivingResponse(AbortSignal.abort());
    http.dispatcher().dispatch({ origin, path: '/', method: 'GET' }, response);
    await expect(response.started).rejects.toThrow('aborted');
  });
});
