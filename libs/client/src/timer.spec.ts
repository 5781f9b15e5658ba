import { answer, TestServer } from '../test/test-server.ts';
import { PlatformClient } from './client.ts';
import { sleep, systemTimer } from './timer.ts';

describe('the timer of the system', () => {
  it('waits for longer than setTimeout can', async () => {
    let isEarly = false;
    const stop = systemTimer.after(2 ** 31, () => (isEarly = true));
    await sleep(systemTimer, 20);
    stop();
    expect(isEarly).toBe(false);
  });

  it('allows time limits of any length', async () => {
    const server = await new TestServer().start();
    server.handle = async (_, response) => {
      await sleep(systemTimer, 20);
      answer(response, 200, { items: [] });
    };
    const client = new PlatformClient({ baseUrl: server.url, apiKey: 'pk_test', timeoutMs: Infinity });
    expect(await client.models.list()).toEqual({ items: [] });
    await server.stop();
  });
});
