import type { Step, Workflow } from '@platform/contracts';
import fc from 'fast-check';
import { Interpreter, type PlacedStep, type StepHost, type StepResult } from './interpreter.ts';
import type { StepRecord } from './run-claims.store.ts';

class Crash extends Error {}

/** Stores what a run does, as the database would, and ends its process after a number of writes. */
class FakeRun implements StepHost {
  readonly records = new Map<string, StepRecord>();
  /** Every effect, in order. */
  readonly effects: string[] = [];
  private writesLeft = Infinity;
  private readonly failed = new Map<string, number>();

  constructor(
    private readonly workflow: Workflow,
    /** How often a step fails before it succeeds. */
    private readonly fails: (scope: string) => number,
    private readonly delays: () => number,
  ) {}

  /** Runs until the process ends, at the latest after so many writes. */
  async attempt(writes: number): Promise<StepResult | null> {
    this.writesLeft = writes;
    for (const [scope, record] of this.records)
      if (record.status === 'RUNNING') this.records.set(scope, { ...record, status: 'INTERRUPTED' });
    try {
      return await new Interpreter(new Map(this.records), this).run(this.workflow);
    } catch (error) {
      if (error instanceof Crash) return null;
      throw error;
    }
  }

  /** Ends the waits of steps, some of them with a failure. */
  wake(): void {
    for (const [scope, record] of this.records) {
      if (record.status !== 'WAITING' || record.input !== null) continue;
      if (this.takeFailure(scope)) this.records.set(scope, toFailed(record));
      else this.records.set(scope, { ...record, status: 'SUCCEEDED', output: 'waited' });
    }
  }

  /** As when the run has failed, and is attempted again. */
  retry(): void {
    for (const [scope, record] of this.records) this.records.set(scope, { ...record, failures: 0 });
  }

  private takeFailure(scope: string): boolean {
    const failures = this.failed.get(scope) ?? 0;
    if (failures >= this.fails(scope)) return false;
    this.failed.set(scope, failures + 1);
    return true;
  }

  enter(): Promise<null> {
    return Promise.resolve(null);
  }

  async execute({ step, scope }: PlacedStep, stepAttempt: number): Promise<StepResult> {
    const { failures = 0 } = this.records.get(scope) ?? {};
    const begun: StepRecord = {
      status: 'RUNNING',
      stepAttempt,
      failures,
      input: null,
      output: null,
      error: null,
    };
    this.write(scope, begun);
    for (let left = this.delays(); left > 0; left -= 1) await Promise.resolve();
    if (step.kind === 'task') {
      this.write(scope, { ...begun, status: 'WAITING' });
      return { type: 'waiting' };
    }
    if (this.takeFailure(scope)) {
      const failed = toFailed(begun);
      this.write(scope, failed);
      return { type: 'failed', outcome: { status: 'FAILED', error: failed.error }, isFinal: false };
    }
    this.write(scope, { ...begun, status: 'SUCCEEDED', output: scope });
    this.effects.push(scope);
    return { type: 'ended', output: scope };
  }

  open({ step, scope }: PlacedStep): Promise<{ input: unknown }> {
    const input = step.kind === 'each' ? { items: step.items } : { branch: 0 };
    this.write(scope, { status: 'RUNNING', stepAttempt: 1, failures: 0, input, output: null, error: null });
    return Promise.resolve({ input });
  }

  reopen(): Promise<void> {
    return Promise.resolve();
  }

  close({ scope }: PlacedStep, result: StepResult): Promise<StepResult> {
    const record = this.records.get(scope);
    if (record === undefined || result.type === 'waiting') return Promise.resolve(result);
    this.write(
      scope,
      result.type === 'ended'
        ? { ...record, status: 'SUCCEEDED', output: result.output }
        : { ...toFailed(record), error: result.outcome.error },
    );
    return Promise.resolve(result);
  }

  abandon(): Promise<void> {
    return Promise.resolve();
  }

  pause(): Promise<void> {
    return Promise.resolve();
  }

  private write(scope: string, record: StepRecord): void {
    if (this.writesLeft <= 0) throw new Crash();
    this.writesLeft -= 1;
    this.records.set(scope, record);
  }
}

function toFailed(record: StepRecord): StepRecord {
  const error = { code: 'STEP_FAILED', message: 'On its own' };
  return { ...record, status: 'FAILED', failures: record.failures + 1, error };
}

/** Workflows with steps that wait (`task`), and that contain others. Ids are unique. */
const workflows = fc
  .letrec<{ steps: object[]; step: object }>((tie) => ({
    steps: fc.array(tie('step'), { minLength: 1, maxLength: 4 }),
    step: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant({ kind: 'code', source: '' }),
      fc.constant({ kind: 'task', taskId: 't', inputs: {} }),
      fc.record({
        kind: fc.constant('branch'),
        branches: fc.tuple(fc.record({ when: fc.constant('true'), steps: tie('steps') })),
      }),
      fc.record({
        kind: fc.constant('each'),
        items: fc.array(fc.nat(9), { maxLength: 4 }),
        concurrency: fc.integer({ min: 1, max: 3 }),
        steps: tie('steps'),
      }),
    ),
  }))
  .steps.map((steps) => ({ steps: number(steps, { next: 0 }) }) as unknown as Workflow);

function number(steps: object[], ids: { next: number }): object[] {
  return steps.map((step) => {
    const id = `s${ids.next++}`;
    const nested = step as { steps?: object[]; branches?: { steps: object[] }[] };
    if (nested.steps) return { ...step, id, steps: number(nested.steps, ids) };
    if (nested.branches)
      return {
        ...step,
        id,
        branches: nested.branches.map((one) => ({ ...one, steps: number(one.steps, ids) })),
      };
    return { ...step, id };
  });
}

/** The scopes of the steps with effects that a workflow has, in the order in which one process executes them without concurrency. */
function listScopes(steps: readonly Step[], prefix = ''): string[] {
  return steps.flatMap((step) => {
    const scope = prefix + step.id;
    if (step.kind === 'branch') return listScopes(step.branches[0]?.steps ?? [], `${scope}.`);
    if (step.kind === 'each')
      return (step.items as unknown[]).flatMap((_, i) => listScopes(step.steps, `${scope}[${i}].`));
    return step.kind === 'code' ? [scope] : [];
  });
}

/** Continues a run until it has ended, and returns how often it was continued. */
async function finish(run: FakeRun, crashes: readonly number[]): Promise<StepResult> {
  for (let attempts = 0; attempts < 1_000; attempts += 1) {
    const result = await run.attempt(crashes[attempts] ?? Infinity);
    if (result?.type === 'ended') return result;
    if (result?.type === 'failed') run.retry();
    run.wake();
  }
  throw new Error('The run does not end');
}

describe('the continuation of a run', () => {
  it('executes each step once that ends, wherever it is cut off, and in whatever order steps end', async () => {
    await fc.assert(
      fc.asyncProperty(
        workflows,
        fc.array(fc.nat(12), { maxLength: 8 }),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }),
        fc.nat(2),
        async (workflow, crashes, delays, failures) => {
          let next = 0;
          const run = new FakeRun(
            workflow,
            (scope) => (scope.length % 3 === 0 ? failures : 0),
            () => delays[next++ % delays.length] ?? 0,
          );
          await finish(run, crashes);
          expect([...run.effects].sort()).toEqual(listScopes(workflow.steps).sort());
          const steps = [...run.records.values()];
          expect(steps.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
        },
      ),
    );
  });

  it('executes an item that failed as often as it says, however often the run waits or is cut off', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('waits', 'fails', 'wait-fails', 'succeeds'), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.nat(2),
        fc.array(fc.nat(12), { maxLength: 8 }),
        async (items, concurrency, attempts, crashes) => {
          const steps = [
            { id: 'wait', kind: 'task', taskId: 't', inputs: {}, retry: { attempts } },
            { id: 'act', kind: 'code', source: '', retry: { attempts } },
          ];
          const all = { id: 'all', kind: 'each', items, concurrency, onItemError: 'continue', steps };
          const always = (scope: string) => {
            const item = items[Number(/\d+/.exec(scope)?.[0])];
            return scope.endsWith(item === 'fails' ? 'act' : 'wait') && item?.endsWith('fails')
              ? Infinity
              : 0;
          };
          const run = new FakeRun({ steps: [all] } as unknown as Workflow, always, () => 0);
          const { output } = (await finish(run, crashes)) as { output: { status: string }[] };
          expect(output.map(({ status }) => status)).toEqual(
            items.map((item) => (item.endsWith('fails') ? 'FAILED' : 'SUCCEEDED')),
          );
          const failures = [...run.records.values()].flatMap(({ status, failures: n }) =>
            status === 'FAILED' ? n : [],
          );
          expect(failures).toEqual(failures.map(() => attempts + 1));
        },
      ),
    );
  });

  it('keeps the order of a workflow without items at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(workflows, fc.array(fc.nat(12), { maxLength: 8 }), async (workflow, crashes) => {
        const serial = JSON.parse(
          JSON.stringify(workflow, (key, value: unknown) => (key === 'concurrency' ? 1 : value)),
        ) as Workflow;
        const run = new FakeRun(
          serial,
          () => 0,
          () => 0,
        );
        await finish(run, crashes);
        expect(run.effects).toEqual(listScopes(serial.steps));
      }),
    );
  });

  it('has no more items under way than it may', async () => {
    const workflow = {
      steps: [
        {
          id: 'all',
          kind: 'each',
          items: [1, 2, 3, 4, 5],
          concurrency: 2,
          steps: [{ id: 'ask', kind: 'task', taskId: 't', inputs: {} }],
        },
      ],
    } as Workflow;
    const run = new FakeRun(
      workflow,
      () => 0,
      () => 0,
    );
    for (const waiting of [2, 2, 1]) {
      expect(await run.attempt(Infinity)).toEqual({ type: 'waiting' });
      const steps = [...run.records].filter(([scope, { status }]) => scope !== 'all' && status === 'WAITING');
      expect(steps).toHaveLength(waiting);
      run.wake();
    }
    expect(await run.attempt(Infinity)).toMatchObject({ type: 'ended' });
  });
});
