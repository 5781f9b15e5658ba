import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import { STREAM_PROTOCOL, STREAM_PROTOCOL_HEADER } from '@platform/contracts';
import type { Response } from 'express';

const HEARTBEAT_MS = 10_000;
/** A reader that reads nothing for this long is disconnected. */
const STALLED_MS = 60_000;
const logger = new Logger('Streams');

/**
 * Sends stored bytes as Server-Sent Events until they end or the reader disconnects. Requests more only when the
 * socket has accepted what was written, so a slow reader slows down only its own stream. A comment every 10 s keeps
 * the connection alive. If the bytes cannot be read, the response ends without a last frame, and clients reconnect.
 */
export async function sendStream(
  res: Response,
  read: (signal: AbortSignal) => AsyncIterable<Buffer>,
  headers: Record<string, string> = { [STREAM_PROTOCOL_HEADER]: STREAM_PROTOCOL },
): Promise<void> {
  const left = new AbortController();
  // `close` is emitted once, possibly while the stream was being opened.
  if (res.destroyed) return;
  res.once('close', () => left.abort());
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    ...headers,
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  res.flushHeaders();
  const heartbeat = setInterval(() => {
    if (!res.writableNeedDrain) res.write(':\n\n');
  }, HEARTBEAT_MS);
  try {
    for await (const bytes of read(left.signal)) {
      if (!res.write(bytes)) await drained(res, left.signal);
      if (left.signal.aborted) return;
    }
  } catch (error) {
    if (left.signal.aborted) return;
    logger.warn({ err: error }, 'A stream could not be read on; its reader is let go');
  } finally {
    clearInterval(heartbeat);
  }
  res.end();
}

async function drained(res: Response, left: AbortSignal): Promise<void> {
  const stalled = setTimeout(() => res.destroy(), STALLED_MS);
  try {
    await once(res, 'drain', { signal: left });
  } catch {
    // The reader disconnected or was disconnected.
  } finally {
    clearTimeout(stalled);
  }
}
