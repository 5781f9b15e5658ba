import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import type { Dispatcher } from 'undici';
import { Secrets } from '../../models/port/secrets.ts';
import { UpstreamCall } from './upstream-call.ts';

const MB = 1024 * 1024;

/** A reader that takes everything at once. */
class FakeResponse extends EventEmitter {
  bytes = 0;
  destroyed = false;
  headersSent = false;
  socket = null;
  writeHead(): void {
    this.headersSent = true;
  }
  flushHeaders(): void {
    this.headersSent = true;
  }
  write(chunk: Buffer, done?: () => void): boolean {
    this.bytes += chunk.length;
    done?.();
    return true;
  }
  destroy(): void {
    this.destroyed = true;
  }
}

function begin() {
  const res = new FakeResponse();
  const call = new UpstreamCall(
    res as unknown as Response,
    { text: Secrets.of(null), bytes: Secrets.of(null) },
    true,
    { stallMs: Infinity, totalMs: Infinity },
  );
  const aborted: Error[] = [];
  const controller = {
    abort: (reason: Error) => aborted.push(reason),
  } as unknown as Dispatcher.DispatchController;
  call.onRequestStart(controller);
  return { res, call, controller, aborted };
}

describe('UpstreamCall', () => {
  it('aborts a response after 256 MB, together with its reader', async () => {
    const { res, call, controller, aborted } = begin();
    call.onResponseStart(controller, 200, { 'content-type': 'application/json' });
    const piece = Buffer.alloc(MB, 'x');
    let pieces = 0;
    while (aborted.length === 0 && pieces < 300) {
      call.onResponseData(controller, piece);
      pieces++;
    }
    expect(pieces).toBe(257);
    call.onResponseError(controller, aborted[0] ?? new Error('not aborted'));
    expect(await call.result).toMatchObject({ kind: 'completed', usage: null });
    expect([res.bytes, res.destroyed]).toEqual([256 * MB, true]);
  });

  it('aborts if a server announces a response endlessly', async () => {
    const { call, controller, aborted } = begin();
    for (let i = 0; i < 100 && aborted.length === 0; i++) call.onResponseStart(controller, 103, {});
    call.onResponseError(controller, aborted[0] ?? new Error('not aborted'));
    await expect(call.result).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(aborted).toHaveLength(1);
  });
});
