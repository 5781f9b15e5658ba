import { cpuMsSince } from '../infra/runtime/cpu-time.ts';
import { checkPayloadSchemas } from './payload-schemas.ts';

const COUNT = 10;
const READ_MS = 30;
/** Many times the processor time of all, and less than it takes to read them. */
const MAX_MS = 600;

/** A manifest whose schemas each call this when they are read. */
const manifest = (read: () => void) => ({
  events: Array.from({ length: COUNT }, (_, i) => ({
    name: `a.e${i}`,
    payloadSchema: {
      get type() {
        read();
        return 'object';
      },
    },
  })),
});

describe('the time that the payload schemas of a manifest take', () => {
  it('is processor time: a busy machine refuses none', async () => {
    const lock = new Int32Array(new SharedArrayBuffer(4));
    const waiting = manifest(() => Atomics.wait(lock, 0, 0, READ_MS));
    const start = performance.now();
    expect(await checkPayloadSchemas(waiting, MAX_MS)).toEqual([]);
    expect(performance.now() - start).toBeGreaterThan(MAX_MS);
  });

  it('is limited: the first schema after it is named', async () => {
    const busy = manifest(() => {
      const start = process.threadCpuUsage();
      while (cpuMsSince(start) < READ_MS);
    });
    const [problem] = await checkPayloadSchemas(busy, READ_MS / 2);
    expect(problem).toBe('/events/1/payloadSchema cannot be checked: the schemas before it take too long');
  });
});
