import { dispatchWaiting } from './harness/dispatch-waiting.ts';
import { Fleet } from './faults/fleet.ts';
import { findViolations } from './faults/referee.ts';

/** Nothing runs: the test dispatches, and what a worker would do is written into the tables. */
let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ transport: 'in-process', processes: 0 });
});
afterAll(() => fleet.close());

/** The rules that are violated. */
const rules = async () => {
  const found = Object.keys(await findViolations(fleet)).map((rule) => rule.slice(0, 2));
  return [...new Set(found)].sort();
};

describe('the referee', () => {
  it('finds nothing where nothing is wrong, and whatever is', async () => {
    const { app, sink } = fleet;
    const world = await fleet.install('shop');
    const all = await world.subscribe('all', { concurrency: 1 });
    await world.subscribe('never', { filter: { kind: 'never' } });
    const emitter = fleet.emitter(world, () => [app.url]);
    const emit = () => emitter.emit({ kind: 'rush', amount: 1 });
    const dispatch = () => dispatchWaiting(app);
    for (let i = 0; i < 8; i++) await emit();
    await dispatch();
    await emit();
    expect(await rules()).toEqual([]);

    // Each change is undone before the next one.
    const violating = async (change: string, undo: string) => {
      await app.sql(change);
      const violated = await rules();
      await app.sql(undo);
      expect(await rules()).toEqual([]);
      return violated;
    };
    const copied = (table: string, where: string) =>
      `create table kept as select * from ${table} where ${where}`;
    const deletes = (table: string, where: string) =>
      violating(
        `do $$ begin ${copied(table, where)}; delete from ${table} where ${where}; end $$`,
        `do $$ begin insert into ${table} select * from kept; drop table kept; end $$`,
      );
    const oldest = `id = (select id from envelope order by id limit 1)`;
    const ofOldest = oldest.replace('id =', 'envelope_id =');
    expect(await deletes('emission_key', ofOldest)).toEqual(['R1']);
    expect(await deletes('envelope_outbox', 'true')).toEqual(['R3']);
    expect(await deletes('run_queue', 'true')).toEqual(['R3']);
    expect(await deletes('run', ofOldest)).toEqual(['R3', 'R4']);
    expect(await deletes('delivery', ofOldest)).toEqual(['R4']);
    const set = (columns: string, back: string) =>
      violating(
        `update envelope set ${columns} where ${oldest}`,
        `update envelope set ${back} where ${oldest}`,
      );
    // As if it were not there.
    expect(await set(`source = 'system'`, `source = 'app'`)).toEqual(['R1']);
    expect(await set('matched_count = 2', 'matched_count = 1')).toEqual(['R4']);
    expect(await set(`status = 'FAILED'`, `status = 'DISPATCHED'`)).toEqual(['R6', 'R7']);
    expect(await set(`idempotency_key = 'other'`, `idempotency_key = (${keyOf(oldest)})`)).toEqual(['R1']);
    // Two runs for one delivery, and a run that nobody asked for.
    const twice = (columns: string) =>
      violating(
        `insert into run (space_id, task_id, owner_user_id, origin, status, trigger, payload, inputs, envelope_id, generation,
           subscription_id) select space_id, task_id, owner_user_id, origin, 'FAILED', trigger, payload, inputs, ${columns}
         from run where ${ofOldest}`,
        `delete from run where status = 'FAILED'`,
      );
    expect(await twice('envelope_id, generation, subscription_id')).toEqual(['R4', 'R5']);
    expect(await twice('envelope_id, generation + 1, subscription_id')).toEqual(['R4']);
    // A result without an effect, and a phantom.
    expect(
      await violating(
        `update run set status = 'SUCCEEDED' where ${ofOldest}`,
        `update run set status = 'QUEUED' where ${ofOldest}`,
      ),
    ).toEqual(['R3', 'R9']);
    expect(
      await violating(
        `insert into envelope (space_id, application_id, event, payload, status, source, root_id, path)
         select space_id, application_id, event, '{"n":1000}', 'DISPATCHED', 'app', root_id, path from envelope
         where ${oldest}`,
        `delete from envelope where payload->>'n' = '1000'`,
      ),
    ).toEqual(['R2']);

    // The sink keeps what it has seen.
    const [run] = await app.sql<{ id: string }>(`select id from run where ${ofOldest}`);
    const runId = run?.id ?? '';
    await sink.add({ runId, label: all.label, attempt: 1 });
    expect(await rules()).toEqual([]);
    await sink.add({ runId, label: all.label, attempt: 1 });
    expect(await rules()).toEqual(['R5', 'R8']);
    await sink.add({ runId: crypto.randomUUID(), label: all.label, attempt: 1 });
    expect(Object.keys(await findViolations(fleet))).toContain('R5 an effect without a run: 1');
  });
});

/** The key that the client has sent for the emission. */
function keyOf(where: string): string {
  const keys = fleet.ledger.entries.map(({ n, key }) => `when ${n} then '${key}'`).join(' ');
  return `select case (payload->>'n')::int ${keys} end from envelope where ${where}`;
}
