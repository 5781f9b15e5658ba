import { jest } from '@jest/globals';
import pg from 'pg';
import { PostgresServer } from '../harness/postgres.ts';
import { seededRandom } from '../harness/random.ts';
import { repeat } from './background.ts';
import { Fleet } from './fleet.ts';
import { judge } from './referee.ts';
import { scaled, transports } from './scale.ts';
import type { World } from './world.ts';

jest.setTimeout(1_200_000);

const SECONDS = scaled('FAULT_SECONDS', { quick: 60, slow: 60, faults: 120 });
const PER_SECOND = 50;
const random = seededRandom();

describe.each(transports('in-process'))('PostgreSQL, %s', (transport) => {
  let postgres: PostgresServer;
  let fleet: Fleet;
  let world: World;

  beforeEach(async () => {
    postgres = await PostgresServer.start();
    fleet = await Fleet.start({
      transport,
      databaseUrl: await postgres.database(),
      // It waits for a connection as long as it does in production.
      env: { PLATFORM_RUN_LEASE_MS: '5000', PLATFORM_DATABASE_CONNECT_MS: '3000' },
    });
    world = await fleet.install('shop');
    await world.subscribeUsual();
  });
  afterEach(async () => {
    await fleet.close();
    await postgres.stop();
  });

  /** Emits while the fault happens again and again. Every emission is repeated with its key until its outcome is known. */
  async function underLoad(fault: () => Promise<void>, everyMs: number): Promise<void> {
    const faults = repeat(fault, () => everyMs);
    const sent = await fleet
      .emitter(world)
      .load({ count: SECONDS * PER_SECOND, perSecond: PER_SECOND, random });
    await faults.stop();
    const answers = Object.groupBy(
      sent.flatMap((entry) => entry.answers),
      ({ status }) => String(status),
    );
    console.info(
      'answers',
      Object.fromEntries(Object.entries(answers).map(([status, all]) => [status, all?.length])),
    );
    expect(Object.keys(answers).filter((status) => !['0', '200', '503'].includes(status))).toEqual([]);
    expect(fleet.members.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
  }

  it('F11: crashes every five seconds', async () => {
    await underLoad(() => postgres.restart(), 5_000);
    console.info('F11', await judge(fleet));
  });

  it('F12: loses five connections of the service every second', async () => {
    const client = new pg.Client({ connectionString: fleet.app.databaseUrl });
    await client.connect();
    await underLoad(async () => {
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1`,
      );
    }, 200);
    await client.end();
    console.info('F12', await judge(fleet));
  });
});
