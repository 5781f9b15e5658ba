import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { bodyDeadline, liftBodyDeadline } from './read-timeout.ts';

describe('bodyDeadline', () => {
  const app = express();
  app.use(bodyDeadline(100));
  app.post('/known', (req: Request, res: Response) => {
    liftBodyDeadline(req);
    req.resume().on('end', () => res.end('complete'));
  });
  app.post('/unread', () => undefined);
  app.post('/refused', (_req: Request, res: Response) => void res.status(401).end('refused'));
  const server = app.listen(0, '127.0.0.1');
  beforeAll(() => once(server, 'listening'));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Sends half of a body. */
  async function begin(path: string) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    const response = once(socket.setEncoding('utf8'), 'data') as Promise<[text: string]>;
    await once(socket, 'connect');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab`);
    return { socket, response, closed: once(socket, 'close') };
  }

  it('closes connections whose body takes longer, but not those of known callers', async () => {
    const known = await begin('/known');
    const unread = await begin('/unread');
    const refused = await begin('/refused');
    expect(await refused.response).toEqual([expect.stringMatching(/^HTTP\/1\.1 401 /)]);
    await Promise.all([unread.closed, refused.closed]);
    // It began first, so it would have been closed before the others.
    expect(known.socket.destroyed).toBe(false);
    known.socket.write('cd');
    expect(await known.response).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 [^]*complete/)]);
  });
});
