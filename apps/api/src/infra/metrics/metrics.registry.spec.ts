import type { PlatformConfig } from '../config/platform-config.ts';
import type { BackgroundDatabase, Database } from '../database/database.ts';
import type { Messaging } from '../messaging/messaging.ts';
import { MetricsRegistry } from './metrics.registry.ts';

const master = { totalCount: 3, idleCount: 1, waitingCount: 0 };

function create(query: (text: string) => Promise<object[]>, metricsToken: string | null = 'a-token') {
  return new MetricsRegistry(
    { metricsToken } as PlatformConfig,
    { driver: { master } } as unknown as Database,
    { driver: { master }, query } as unknown as BackgroundDatabase,
    { getState: () => 'down' } as unknown as Messaging,
    { ready: true },
  );
}

describe('MetricsRegistry', () => {
  it('counts what runs, and a bounded part of what waits, in one statement', async () => {
    const queries: string[] = [];
    const metrics = create((text) => {
      queries.push(text);
      return Promise.resolve([
        { i: 0, count: 2 },
        { i: 1, count: 0 },
      ]);
    });
    let running = 1;
    metrics.running('runs', () => running++);
    metrics.waiting('runs', 'select from a');
    metrics.waiting('jobs', 'select from b union all select from c');
    const [text] = await Promise.all([metrics.render(), metrics.render()]);
    expect(queries).toEqual([
      'select 0 as i, count(*)::int as count from (select from a limit 10000) q union all ' +
        'select 1 as i, count(*)::int as count from (select from b union all select from c limit 10000) q',
    ]);
    for (const line of [
      'platform_work_running{work="runs"} 1',
      'platform_work_waiting{work="runs"} 2',
      'platform_work_waiting{work="jobs"} 0',
      'platform_database_connections{pool="api"} 3',
      'platform_database_connections_idle{pool="background"} 1',
      'platform_up{part="messaging"} 0',
    ])
      expect(text.split('\n')).toContain(line);
    expect(await metrics.render()).toContain('platform_work_running{work="runs"} 2\n');
  });

  it('leaves out what cannot be counted, in place of an old number', async () => {
    let isAway = false;
    const metrics = create(() =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve([{ i: 0, count: 2 }]),
    );
    metrics.waiting('runs', 'select from a');
    expect(await metrics.render()).toContain('platform_work_waiting{work="runs"} 2');
    isAway = true;
    const text = await metrics.render();
    expect(text).not.toContain('platform_work_waiting{');
    expect(text).toContain('platform_up{part="service"} 1');
  });

  it('measures nothing without a token', async () => {
    expect(await create(() => Promise.resolve([]), null).render()).toBe('\n');
  });
});
