import type { Database } from '../../infra/database/database.ts';
import { McpWatchService } from './mcp-watch.service.ts';

const MINUTE_MS = 60_000;

describe('McpWatchService', () => {
  /** Whether a server that was asked at a time is asked again, if the database does not mind. */
  async function asks(checkedAt: Date | null): Promise<boolean> {
    const query = (sql: string) => Promise.resolve(sql.startsWith('update') ? [[{ id: 'tool' }], 1] : []);
    const watch = new McpWatchService({ query } as unknown as Database);
    return watch.check({ spaceId: 'space', id: 'tool', checkedAt }, () =>
      Promise.resolve({ tools: new Map(), isComplete: true, report: [] }),
    );
  }

  it('asks a server every five minutes, also if the clocks of process and database differ', async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);
    expect(await asks(null)).toBe(true);
    expect(await asks(ago(6))).toBe(true);
    expect(await asks(ago(1))).toBe(false);
    expect(await asks(ago(-1))).toBe(false);
    expect(await asks(ago(-6))).toBe(true);
  });
});
