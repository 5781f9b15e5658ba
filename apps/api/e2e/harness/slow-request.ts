import { once } from 'node:events';
import { connect } from 'node:net';

/** What became of a request that arrives byte by byte. */
export interface SlowRequest {
  /** What the service had sent when it closed the connection, or when the request had arrived. */
  answer: string;
  /** Milliseconds until the service closed the connection; null: it did not. */
  closedAfterMs: number | null;
}

/** Sends `head` at once and then of `rest` one byte every 20 ms, for at most `forMs`. */
export async function sendSlowly(
  url: string,
  head: string,
  rest: string,
  forMs: number,
): Promise<SlowRequest> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  const startedAt = performance.now();
  let answer = '';
  let closedAfterMs: number | null = null;
  socket.on('data', (data) => (answer += data.toString()));
  // A reset is a way to be closed.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      closedAfterMs = performance.now() - startedAt;
      resolve();
    });
  });
  socket.write(head);
  let sent = 0;
  const drip = setInterval(() => {
    if (sent < rest.length && socket.writable) socket.write(rest.charAt(sent++));
  }, 20);
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => (timer = setTimeout(resolve, forMs)));
  await Promise.race([closed, waited]);
  clearInterval(drip);
  clearTimeout(timer);
  const result = { answer, closedAfterMs };
  socket.destroy();
  return result;
}

/** The head of a request with a JSON body of so many bytes. */
export const head = (path: string, key: string | null, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n` +
  `${key === null ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;
