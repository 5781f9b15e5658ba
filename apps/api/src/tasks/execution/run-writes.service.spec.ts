import { Logger } from '@nestjs/common';
import type { BackgroundDatabase } from '../../infra/database/database.ts';
import { ActiveRun } from './active-run.ts';
import type { ClaimedRun } from './run-claims.store.ts';
import type { RunLeasesWorker } from './run-leases.worker.ts';
import type { WaitWorker } from '../schedule/wait.worker.ts';
import { SUCCEEDED } from './run-outcome.ts';
import { RunSuperseded, RunWritesService } from './run-writes.service.ts';

/** A database whose statements hold the runs that are not `lost`, and fail if a value is what PostgreSQL cannot store. */
class FakeDatabase {
  readonly lost = new Set<string>();
  /** The runs for whose end others wait. */
  readonly awaited = new Set<string>();
  /** The name of each statement, with its runs. */
  readonly statements: [name: string, ...runs: string[]][] = [];
  /** The values of the last statement, one list per column. */
  values: unknown[] = [];
  readonly driver = { master: this };

  async query(statement: string | { name: string; values: unknown[] }): Promise<unknown> {
    // Whether the claim itself has ended the attempt: it has not.
    if (typeof statement === 'string') return [];
    const { name, values } = statement;
    const ids = values[0] as string[];
    this.statements.push([name, ...ids]);
    this.values = values;
    await Promise.resolve();
    if (JSON.stringify(values).includes('too deep'))
      throw Object.assign(new Error('stack depth limit exceeded'), { code: '54001' });
    const held = ids.filter((id) => !this.lost.has(id));
    return { rows: held.map((id) => ({ id, isAwaited: this.awaited.has(id) })) };
  }
}

let database: FakeDatabase;
let writes: RunWritesService;
let wakes: number;

beforeEach(() => {
  database = new FakeDatabase();
  const leases = { gathering: { isEnough: () => true, maxMs: 0 } };
  writes = new RunWritesService(
    database as unknown as BackgroundDatabase,
    leases as unknown as RunLeasesWorker,
    { wake: () => wakes++ } as unknown as WaitWorker,
  );
  wakes = 0;
});

function activate(id: string): ActiveRun {
  const retry = { attempts: 0, backoffMs: 0, onInterrupted: false };
  return new ActiveRun(
    { id, attempt: 1, handovers: 0, retry } as ClaimedRun,
    `token of ${id}`,
    performance.now(),
  );
}

const start = (position = 0) => ({
  attempt: 1,
  position,
  stepId: `step ${position}`,
  scope: `step ${position}`,
  stepAttempt: 1,
  acts: false,
  kind: 'code' as const,
  input: null,
  begunAt: 1,
});

const succeeded = (output: string) => ({
  ...start(),
  status: 'SUCCEEDED' as const,
  output,
  log: '',
  error: null,
  endedAt: 8,
});

/** The values of the last statement, of the columns of steps from `first` on: those of one step each. */
const storedSteps = (first: number) => {
  const columns = database.values.slice(first) as unknown[][];
  return (columns[0] ?? []).map((_, i) => columns.map((column) => column[i]));
};

describe('RunWrites', () => {
  it('stores what happens at the same time in one statement, in order', async () => {
    const [a, b, c] = [activate('a'), activate('b'), activate('c')];
    await Promise.all([a, b].map((active) => writes.startStep(active, start())));
    a.ended = [succeeded('1')];
    await Promise.all([writes.end(a, SUCCEEDED), writes.startStep(c, start()), writes.end(b, SUCCEEDED)]);
    expect(database.statements).toEqual([
      ['store_run_steps', 'a', 'b'],
      ['end_run_attempts', 'a', 'b'],
      ['store_run_steps', 'c'],
    ]);
  });

  it('stores the end of a step once, with the start of the next', async () => {
    const active = activate('a');
    active.ended = [succeeded('"output"')];
    await writes.startStep(active, start(1));
    const step = [1, 0, 'step 0', 'step 0', 1, 'code', false, null];
    const next = [1, 1, 'step 1', 'step 1', 1, 'code', false, null];
    const ago = expect.any(Number);
    expect(storedSteps(2)).toEqual([
      [...step, 'SUCCEEDED', '"output"', '""', null, ago, ago],
      [...next, 'RUNNING', null, null, null, ago, null],
    ]);
    await writes.startStep(active, start(2));
    expect(storedSteps(2)).toHaveLength(1);
  });

  it('stores an end in a statement once, whoever asks for it', async () => {
    const active = activate('a');
    active.ended = [succeeded('1')];
    await Promise.all([writes.storeEnds(active), writes.startStep(active, start(1))]);
    expect(database.statements).toEqual([['store_run_steps', 'a', 'a']]);
    expect(active.ended).toEqual([]);
  });

  it('keeps the end of a step whose statement stored nothing', async () => {
    const active = activate('a');
    active.ended = [succeeded('1')];
    database.lost.add('a');
    await expect(writes.startStep(active, start(1))).rejects.toThrow(RunSuperseded);
    expect(active.ended).toEqual([succeeded('1')]);
  });

  it('has the end of a run looked at for which another one waits', async () => {
    database.awaited.add('b');
    await writes.end(activate('a'), SUCCEEDED);
    expect(wakes).toBe(0);
    await writes.end(activate('b'), SUCCEEDED);
    expect(wakes).toBe(1);
  });

  it('supersedes only the runs of a statement that have lost their claims', async () => {
    const all = ['a', 'b', 'c'].map(activate);
    database.lost.add('b');
    const ended = await Promise.allSettled(all.map((active) => writes.end(active, SUCCEEDED)));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((ended[1] as PromiseRejectedResult).reason).toBeInstanceOf(RunSuperseded);
  });

  it('fails only the run whose output cannot be stored', async () => {
    Logger.overrideLogger(false);
    const all = ['a', 'b', 'c'].map(activate);
    for (const active of all) active.ended = [succeeded(active.run.id === 'b' ? 'too deep' : '1')];
    expect(await Promise.all(all.map((active) => writes.end(active, SUCCEEDED)))).toEqual([null, null, null]);
    expect(database.statements.map(([, ...runs]) => runs)).toEqual([
      ['a', 'b', 'c'],
      ['a'],
      ['b'],
      ['c'],
      ['b'],
    ]);
    const error = '{"code":"SERVER_ERROR","message":"The step failed unexpectedly"}';
    expect(database.values.slice(3, 5)).toEqual([['FAILED'], [error]]);
    expect(storedSteps(7)).toEqual([expect.arrayContaining(['FAILED', error])]);
  });
});
