import type { Database } from '../infra/database/database.ts';
import { StorageQuotasService } from './storage-quotas.service.ts';
import { StorageRegistry } from './storage.registry.ts';

describe('the quotas of storage', () => {
  it('count nothing twice while the clock of the database is an hour behind', async () => {
    const timeOfDatabase = () => new Date(Date.now() - 3_600_000);
    const manager = {
      findOneBy: () => Promise.resolve({ spaceId: 's', eventBytes: 10_000, rowBytes: null }),
      query: () => Promise.resolve([{ now: timeOfDatabase() }]),
    };
    let bytes = 0;
    const registry = new StorageRegistry();
    registry.register('EVENTS', () =>
      Promise.resolve({
        measuredAt: timeOfDatabase(),
        tables: [{ applicationId: null, name: 'a', count: 1, bytes }],
      }),
    );
    const quotas = new StorageQuotasService({ manager } as unknown as Database, registry);
    (await quotas.open('s', 'EVENTS')).take(6_000);
    // It has been stored, and is measured.
    bytes = 6_000;
    quotas.forget('s');
    const room = await quotas.open('s', 'EVENTS');
    room.take(3_000);
    expect(() => room.take(2_000)).toThrow('exceed its quota');
  });
});
