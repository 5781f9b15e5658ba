import { eventually } from '../harness/eventually.ts';
import type { Fleet } from './fleet.ts';
import { outcomeOf, type LedgerEntry } from './ledger.ts';
import { expectedLabels } from './oracle.ts';
import type { Effect } from './sink.ts';
import type { Subscriber } from './world.ts';

/** How many examples of a finding are shown. */
const SHOWN = 5;
/** Far more than it takes, also on a machine with a lot of other work. */
const SETTLE_MS = 180_000;

interface RefereeOptions {
  /** Whether envelopes may be FAILED (R7). */
  mayFail?: boolean;
}

interface StoredEnvelope {
  id: string;
  n: number;
  status: string;
  key: string | null;
  keyRows: number;
  generation: number;
  matchedCount: number;
}

interface StoredRun {
  id: string;
  status: string;
  attempt: number;
  taskId: string;
}

/** What happened, for the output of a test. */
export interface Summary {
  emitted: number;
  acknowledged: number;
  unknown: number;
  envelopes: number;
  runs: Record<string, number>;
  effects: number;
}

/** Waits until nothing waits in the outbox, in the queue of runs, or without a process. */
export async function settle({ app }: Fleet, deadlineMs = SETTLE_MS): Promise<void> {
  await eventually(async () => {
    const [left] = await app.sql<{ outbox: number; queue: number; waits: number }>(
      `select (select count(*)::int from envelope_outbox) as outbox, (select count(*)::int from run_queue) as queue,
         (select count(*)::int from run_wait) as waits`,
    );
    expect(left).toEqual({ outbox: 0, queue: 0, waits: 0 });
  }, deadlineMs);
}

/** Waits for the end of the work and checks the counts. Every violation of a rule fails the test, with examples. */
export async function judge(fleet: Fleet, options: RefereeOptions = {}): Promise<Summary> {
  await settle(fleet);
  const referee = new Referee(fleet, options);
  const summary = await referee.check();
  expect(referee.findings).toEqual({});
  return summary;
}

/** What is wrong now, by rule. */
export async function findViolations(fleet: Fleet): Promise<Record<string, unknown[]>> {
  const referee = new Referee(fleet, {});
  await referee.check();
  return referee.findings;
}

class Referee {
  /** Violations by rule. */
  readonly findings: Record<string, unknown[]> = {};

  constructor(
    private readonly fleet: Fleet,
    private readonly options: RefereeOptions,
  ) {}

  async check(): Promise<Summary> {
    const { ledger, sink } = this.fleet;
    const envelopes = await this.envelopes();
    const effects = await sink.effects();
    this.checkEmissions(envelopes);
    await this.checkQueues();
    await this.checkDeliveries(envelopes);
    await this.checkDoubles();
    await this.checkEffects(effects);
    this.checkConcurrency(effects);
    await this.checkFences();
    const runs = await this.fleet.app.sql<{ status: string; count: number }>(
      'select status, count(*)::int as count from run group by status',
    );
    return {
      emitted: ledger.entries.length,
      acknowledged: ledger.acknowledged.length,
      unknown: ledger.entries.filter((entry) => outcomeOf(entry) === 'unknown').length,
      envelopes: envelopes.length,
      runs: Object.fromEntries(runs.map(({ status, count }) => [status, count])),
      effects: effects.length,
    };
  }

  private note(rule: string, violations: unknown[]): void {
    if (violations.length === 0) return;
    const shown = violations.slice(0, SHOWN);
    this.findings[`${rule}: ${violations.length}`] = shown;
  }

  private async none(rule: string, statement: string): Promise<void> {
    this.note(rule, await this.fleet.app.sql(statement));
  }

  /** The envelopes of emissions; those that runs have caused are not in the ledger. */
  private envelopes(): Promise<StoredEnvelope[]> {
    return this.fleet.app.sql(
      `select e.id, (e.payload->>'n')::int as n, e.status, e.idempotency_key as key, e.generation,
         e.matched_count as "matchedCount",
         (select count(*)::int from emission_key k where k.envelope_id = e.id) as "keyRows"
       from envelope e where e.source = 'app' and e.causation_run_id is null`,
    );
  }

  /** R1: nothing accepted is lost. R2: nothing is stored that nobody sent. */
  private checkEmissions(envelopes: StoredEnvelope[]): void {
    const { ledger } = this.fleet;
    const stored = Map.groupBy(envelopes, ({ n }) => n);
    const lost = ledger.acknowledged.filter((entry) => {
      const [envelope, ...others] = stored.get(entry.n) ?? [];
      const ids = entry.answers.flatMap(({ envelopeId }) => envelopeId ?? []);
      return (
        envelope === undefined ||
        others.length > 0 ||
        envelope.key !== entry.key ||
        envelope.keyRows !== (entry.key === null ? 0 : 1) ||
        ids.some((id) => id !== envelope.id)
      );
    });
    this.note(
      'R1 acknowledged, but not stored exactly once',
      lost.map((entry) => ({ entry, stored: stored.get(entry.n) ?? [] })),
    );
    const known = new Map(ledger.entries.map((entry) => [entry.n, entry]));
    const phantoms = envelopes.filter(({ n }) => {
      const entry = known.get(n);
      return entry === undefined || outcomeOf(entry) === 'rejected';
    });
    this.note('R2 stored, but not sent or rejected', phantoms);
    const doubled = [...stored.values()].filter((same) => same.length > 1);
    this.note('R2 one emission, several envelopes', doubled);
  }

  /** R3: nothing is stuck, and no queue holds what has ended. */
  private async checkQueues(): Promise<void> {
    await this.none(
      'R3 PENDING without an outbox row',
      `select e.id from envelope e where status = 'PENDING' and not exists (
         select from envelope_outbox o where o.envelope_id = e.id and o.generation = e.generation)`,
    );
    await this.none(
      'R3 an outbox row for an envelope that is not PENDING',
      `select o.* from envelope_outbox o left join envelope e on e.id = o.envelope_id
       where e.status is distinct from 'PENDING' or e.generation <> o.generation`,
    );
    await this.none(
      'R3 an unfinished run without a queue row',
      `select r.id, r.status from run r where status in ('QUEUED', 'RUNNING')
         and not exists (select from run_queue q where q.run_id = r.id)`,
    );
    await this.none(
      'R3 a run that waits for nothing',
      `select r.id from run r where status = 'WAITING' and not exists (select from run_wait w where w.run_id = r.id)`,
    );
    await this.none(
      'R3 a queue row of a run that has ended',
      `select q.*, r.status from run_queue q left join run r on r.id = q.run_id
       where coalesce(r.status, '') not in ('QUEUED', 'RUNNING')`,
    );
    await this.none(
      'R3 a slot that a run occupies after its end',
      `select s.* from run_slot s where run_id is not null
         and not exists (select from run_queue q where q.run_id = s.run_id and q.state = 'RUNNING')`,
    );
  }

  /** R4: every subscription that had to fire did, and no other. R6: none for what was not dispatched. R7: nothing FAILED. */
  private async checkDeliveries(envelopes: StoredEnvelope[]): Promise<void> {
    const { app, ledger } = this.fleet;
    await this.none(
      'R4 deliveries differ from matched_count',
      `select e.id, e.generation, e.matched_count, count(d.subscription_id)::int as deliveries
       from envelope e left join delivery d on d.envelope_id = e.id and d.generation = e.generation
       where e.status = 'DISPATCHED' group by e.id, e.generation, e.matched_count
       having count(d.subscription_id) <> e.matched_count`,
    );
    await this.none(
      'R4 a delivery without its run, or a run without its delivery',
      `select d.*, r.id as run from delivery d full join run r on r.id = d.run_id
       where (d.outcome = 'RUN_CREATED' and (r.id is null or r.envelope_id <> d.envelope_id
           or r.subscription_id <> d.subscription_id or r.generation <> d.generation))
         or (d.run_id is null and r.origin = 'EVENT')`,
    );
    const deliveries = await app.sql<{ envelopeId: string; generation: number; subscriptionId: string }>(
      `select envelope_id as "envelopeId", generation, subscription_id as "subscriptionId" from delivery`,
    );
    const labels = new Map(this.subscribers.map((one) => [one.subscriptionId, one.label]));
    const actual = Map.groupBy(deliveries, ({ envelopeId, generation }) => `${envelopeId} ${generation}`);
    const entries = new Map(ledger.entries.map((entry) => [entry.n, entry]));
    const wrong = envelopes.flatMap((envelope) => {
      const entry = entries.get(envelope.n);
      if (envelope.status !== 'DISPATCHED' || entry === undefined) return [];
      const expected = this.expected(entry);
      const got = (actual.get(`${envelope.id} ${envelope.generation}`) ?? [])
        .map(({ subscriptionId }) => labels.get(subscriptionId) ?? subscriptionId)
        .sort();
      return expected === null || JSON.stringify(got) === JSON.stringify(expected)
        ? []
        : [{ envelope, payload: entry.payload, expected, got }];
    });
    this.note('R4 fired for others than those that match', wrong);
    await this.none(
      'R6 deliveries of a generation that was not dispatched',
      `select d.* from delivery d join envelope e on e.id = d.envelope_id and e.generation = d.generation
       where e.status in ('SKIPPED', 'FAILED')`,
    );
    if (!this.options.mayFail)
      await this.none(
        'R7 FAILED',
        `select id, status_reason, last_error from envelope where status = 'FAILED'`,
      );
  }

  private expected(entry: LedgerEntry): string[] | null {
    const world = this.fleet.worlds.find((one) => one.application === entry.application);
    return entry.isUndecided || world === undefined ? null : expectedLabels(world.subscribers, entry);
  }

  private get subscribers(): Subscriber[] {
    return this.fleet.worlds.flatMap(({ subscribers }) => subscribers);
  }

  /** R5, in the database. */
  private async checkDoubles(): Promise<void> {
    for (const table of ['delivery', 'run'])
      await this.none(
        `R5 fired twice: ${table}`,
        `select envelope_id, subscription_id, generation, count(*)::int from ${table} where envelope_id is not null
         group by 1, 2, 3 having count(*) > 1`,
      );
  }

  /** R5, as the sink saw it: a step executes once, unless its task retries; the steps of a run that succeeded did execute. */
  private async checkEffects(effects: Effect[]): Promise<void> {
    const runs = await this.fleet.app.sql<StoredRun>(
      `select id, status, attempt, task_id as "taskId" from run`,
    );
    const retrying = new Set(
      this.subscribers.filter((one) => one.retriesInterrupted).flatMap((one) => one.labels),
    );
    const labelsOf = new Map(this.subscribers.map((one) => [one.taskId, one.labels]));
    const ofRun = Map.groupBy(effects, ({ runId }) => runId);
    const known = new Set(runs.map(({ id }) => id));
    this.note(
      'R5 an attempt of a run has executed a step twice',
      [
        ...Map.groupBy(effects, ({ runId, attempt, label }) => `${runId} ${attempt} ${label}`).values(),
      ].filter((same) => same.length > 1),
    );
    this.note(
      'R5 a run has executed a step twice, although its task does not retry',
      [...Map.groupBy(effects, ({ runId, label }) => `${runId} ${label}`).values()].filter(
        (same) => same.length > 1 && same.some(({ label }) => !retrying.has(label)),
      ),
    );
    this.note(
      'R5 an effect without a run',
      effects.filter(({ runId }) => !known.has(runId)),
    );
    this.note(
      'R9 a run has succeeded without its effect',
      runs.filter(({ id, status, taskId }) => {
        if (status !== 'SUCCEEDED') return false;
        // In whatever attempt: a step that has ended is not executed again.
        const own = ofRun.get(id) ?? [];
        const done = own.filter(({ finishedAt, isAborted }) => finishedAt !== null && !isAborted);
        return (labelsOf.get(taskId) ?? []).some((label) => !done.some((effect) => effect.label === label));
      }),
    );
  }

  /** R8: never more executions of a task at the same time than its concurrency. */
  private checkConcurrency(effects: Effect[]): void {
    for (const { label, labels, concurrency } of this.subscribers) {
      const most = mostAtOnce(effects.filter((effect) => labels.includes(effect.label)));
      if (most > concurrency) this.note(`R8 ${label}: ${most} at once, ${concurrency} allowed`, [most]);
    }
  }

  /** R9: only the holder of the last token has stored a result. */
  private async checkFences(): Promise<void> {
    await this.none(
      'R9 two attempts with one token',
      `select fencing_token, count(*)::int from run_attempt group by fencing_token having count(*) > 1`,
    );
    await this.none(
      'R9 a run that differs from its last attempt',
      `select r.id, r.status, r.attempt, a.status as "attemptStatus" from run r
       join run_attempt a on a.run_id = r.id and a.attempt = r.attempt where a.status <> r.status`,
    );
    await this.none(
      'R9 more than one attempt that succeeded',
      `select run_id from run_attempt where status = 'SUCCEEDED' group by run_id having count(*) > 1`,
    );
    await this.none(
      'R9 a step of an attempt that was never started',
      `select s.run_id, s.attempt from run_step s
       where not exists (select from run_attempt a where a.run_id = s.run_id and a.attempt = s.attempt)
         and not exists (select from run_attempt a
           where a.run_id = s.run_id and a.attempt = s.attempt - 1 and a.status = 'HANDED_OVER')`,
    );
  }
}

/** The most intervals that overlap. An interval ends with its process, or when that is stopped. */
export function mostAtOnce(effects: Effect[]): number {
  const changes = effects
    .flatMap(({ startedAt, finishedAt, haltedAt }) => {
      const ends = [finishedAt, haltedAt].flatMap((end) => end?.getTime() ?? []);
      return [
        { at: startedAt.getTime(), by: 1 },
        { at: ends.length > 0 ? Math.min(...ends) : startedAt.getTime(), by: -1 },
      ];
    })
    // At the same millisecond, the one that ends goes first.
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  return changes.reduce((most, { by }) => Math.max(most, (now += by)), 0);
}
