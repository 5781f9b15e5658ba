import { getEventListeners } from 'node:events';
import { StreamHub } from './stream-hub.ts';

const chunk = (fromSeq: number, toSeq: number, bytes = 10) => ({ fromSeq, toSeq, data: Buffer.alloc(bytes) });

describe('the readers of a stream in this process', () => {
  it('get what is delivered while they wait', async () => {
    const hub = new StreamHub();
    const reader = hub.join('s', new AbortController().signal);
    const next = reader.next(0);
    hub.deliver('s', chunk(1, 3), false);
    expect(await next).toMatchObject({ fromSeq: 1, toSeq: 3 });
    hub.deliver('s', chunk(4, 4), true);
    expect(await reader.next(3)).toMatchObject({ fromSeq: 4, last: true });
  });

  it('who do not ask cost nothing but the stream’s latest bytes, once for all of them', async () => {
    const hub = new StreamHub();
    const signal = new AbortController().signal;
    const readers = Array.from({ length: 100 }, () => hub.join('s', signal));
    for (let seq = 1; seq <= 1_000; seq++) hub.deliver('s', chunk(seq, seq, 1024), false);
    // What lies far back is told by the log alone.
    for (const reader of readers) expect(await reader.next(0)).toBeNull();
    const latest = await Promise.all(readers.map((reader) => reader.next(990)));
    expect(new Set(latest.map((found) => found?.data)).size).toBe(1);
    let kept = 0;
    for (let seq = 0; seq < 1_000; seq++) if ((await readers[0]?.next(seq)) !== null) kept++;
    expect(kept).toBe(64);
  });

  it('go to the log where frames are missing between', async () => {
    const hub = new StreamHub();
    const reader = hub.join('s', new AbortController().signal);
    hub.deliver('s', chunk(1, 2), false);
    hub.deliver('s', chunk(5, 6), false);
    expect(await reader.next(2)).toBeNull();
    expect(await reader.next(4)).toMatchObject({ fromSeq: 5 });
  });

  it('are told of what another process has stored, without its bytes', async () => {
    const hub = new StreamHub();
    const reader = hub.join('s', new AbortController().signal);
    const next = reader.next(7);
    hub.reach('s', 7);
    hub.reach('s', 9);
    expect(await next).toBeNull();
    expect(hub.heads()).toEqual(new Map([['s', 9]]));
  });

  it('leave nothing behind, at their signal or in the hub', async () => {
    const hub = new StreamHub();
    const left = new AbortController();
    const reader = hub.join('s', left.signal);
    for (let seq = 1; seq <= 20; seq++) {
      const next = reader.next(seq - 1);
      hub.deliver('s', chunk(seq, seq), false);
      await next;
    }
    expect(getEventListeners(left.signal, 'abort')).toHaveLength(1);
    const last = reader.next(20);
    left.abort();
    expect(await last).toBeNull();
    hub.leave('s', reader);
    expect(getEventListeners(left.signal, 'abort')).toHaveLength(0);
    expect(hub.heads().size).toBe(0);
  });
});
