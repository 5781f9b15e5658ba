import { MINUTE, SWEEP_BATCH, SweeperWorker } from '../src/infra/database/sweeper.worker.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { gate } from './harness/gate.ts';
import { JobCalls } from './harness/job-calls.ts';
import { verifies } from './verifies.ts';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});

afterAll(() => app.close());

describe('the sweeper', () => {
  it('continues with the other sweeps if one fails, in any way', async () => {
    const sweeper = app.get(SweeperWorker);
    const done: string[] = [];
    sweeper.register('throws', () => {
      throw new Error('At once');
    });
    sweeper.register('rejects', () => Promise.reject(new Error('Later')));
    sweeper.register('works', async () => void done.push('works'));
    await app.sweep();
    await app.sweep();
    expect(done).toEqual(['works', 'works']);
  });

  it('repeats a batch while it is full, and yields in between', async () => {
    const sweeper = app.get(SweeperWorker);
    let left = 3 * SWEEP_BATCH + 7;
    const batches: number[] = [];
    sweeper.register('batches', async (limit) => {
      const removed = Math.min(left, limit);
      left -= removed;
      batches.push(removed);
      return removed;
    });
    await app.sweep();
    expect(batches).toEqual([SWEEP_BATCH, SWEEP_BATCH, SWEEP_BATCH, 7]);
  });

  it('works in one process at a time', async () => {
    const other = await TestApp.start({ database: app });
    try {
      const { opened, open } = gate();
      const { opened: began, open: begin } = gate();
      const done: string[] = [];
      app.get(SweeperWorker).register('slow', async () => {
        begin();
        await opened;
        done.push('first');
      });
      other.get(SweeperWorker).register('slow', async () => void done.push('second'));
      const first = app.sweep();
      await began;
      await other.sweep();
      expect(done).toEqual([]);
      open();
      await first;
      await other.sweep();
      expect(done).toEqual(['first', 'second']);
    } finally {
      await other.close();
    }
  });

  describe('remembers each sweep', () => {
    /** Moves what is remembered of a sweep into the past. */
    const age = (name: string, minutes: number) =>
      app.sql(
        `update sweep set succeeded_at = succeeded_at - $2 * interval '1 minute',
           failed_at = failed_at - $2 * interval '1 minute', created_at = created_at - $2 * interval '1 minute'
         where name = $1`,
        [name, minutes],
      );
    const warnings = async () => {
      const { status, body } = await app.request<{ warnings: string[] }>('GET', '/api/health/ready');
      return [status, body.warnings];
    };

    verifies('events.retention.remembered', 'over a restart: due in its time, and not before', async () => {
      const first = app.get(SweeperWorker);
      first.register('daily', () => Promise.resolve(), 24 * 60 * MINUTE);
      await app.sweep();
      const other = await TestApp.start({ database: app });
      try {
        let runs = 0;
        other.get(SweeperWorker).register(
          'daily',
          () => {
            runs++;
            return Promise.resolve();
          },
          24 * 60 * MINUTE,
        );
        await other.get(SweeperWorker).sweepDue();
        expect(runs).toBe(0);
        await age('daily', 24 * 60);
        await other.get(SweeperWorker).sweepDue();
        expect(runs).toBe(1);
        await other.get(SweeperWorker).sweepDue();
        expect(runs).toBe(1);
      } finally {
        await other.close();
      }
    });

    verifies('events.retention.remembered', 'that fails: again after 5 minutes, then 10', async () => {
      const sweeper = app.get(SweeperWorker);
      let attempts = 0;
      let fails = true;
      sweeper.register(
        'failing',
        () => {
          attempts++;
          return fails ? Promise.reject(new Error('Not now')) : Promise.resolve();
        },
        24 * 60 * MINUTE,
      );
      const attemptsAfter = async (minutes: number) => {
        await age('failing', minutes);
        await sweeper.sweepDue();
        return attempts;
      };
      expect(await attemptsAfter(0)).toBe(1);
      expect(await attemptsAfter(4)).toBe(1);
      expect(await attemptsAfter(1)).toBe(2);
      expect(await attemptsAfter(9)).toBe(2);
      expect(await attemptsAfter(1)).toBe(3);
      fails = false;
      expect(await attemptsAfter(60)).toBe(4);
      expect(await attemptsAfter(60)).toBe(4);
    });

    verifies('events.retention.remembered', 'and warns in health of one that is overdue', async () => {
      const sweeper = app.get(SweeperWorker);
      sweeper.register('stuck', () => Promise.reject(new Error('Never')));
      await sweeper.sweepDue();
      expect(await warnings()).toEqual([200, []]);
      await age('stuck', 181);
      expect(await warnings()).toEqual([
        200,
        ['The sweep "stuck" is overdue: it has never succeeded, and failed 1 times since'],
      ]);
    });
  });

  it('removes webhook deliveries and secrets that have had their time, and no others', async () => {
    const agent = await AgentCalls.make(app);
    const jobs = new JobCalls(app);
    const webhook = { url: 'http://127.0.0.1:9/nobody' };
    const job = await jobs.start({ agentId: agent.agentId, contents: said('Hello'), webhook });
    await jobs.reached(job);
    await app.sql(
      `insert into webhook_delivery (space_id, job_id, segment, type, url, body, next_publish_at, created_at)
       select space_id, id, 100 + n, 'agent-job.completed', 'http://x', '', case when n > 2000 then clock_timestamp() + interval '1 day' end,
         clock_timestamp() - case when n > 1500 and n <= 2000 then interval '29 days' else interval '31 days' end
       from agent_job, generate_series(1, 2100) n where id = $1`,
      [job.id],
    );
    await app.sql(
      `insert into webhook_secret (space_id, sealed, expires_at)
       select space_id, 'old', clock_timestamp() - interval '2 days' from agent_job where id = $1
       union all select space_id, 'recent', clock_timestamp() + interval '1 hour' from agent_job where id = $1`,
      [job.id],
    );
    await app.sweep();
    const kept = await app.sql<{ old: boolean; open: boolean; count: number }>(
      `select created_at < clock_timestamp() - interval '30 days' as old, next_publish_at is not null as open,
         count(*)::int as count
       from webhook_delivery where segment > 100 group by 1, 2 order by 1, 2`,
    );
    expect(kept).toEqual([
      { old: false, open: false, count: 500 },
      { old: true, open: true, count: 100 },
    ]);
    const secrets = await app.sql<{ sealed: string }>(
      'select sealed from webhook_secret where expires_at is not null',
    );
    expect(secrets).toEqual([{ sealed: 'recent' }]);
  });
});
