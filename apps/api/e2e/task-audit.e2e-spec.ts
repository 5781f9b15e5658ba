import type { AuditEntry, EmitResponse, Page, Task } from '@platform/contracts';
import { TestApp } from './harness/app.ts';
import { installApplication } from './harness/applications.ts';
import { gate } from './harness/gate.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction } from './harness/scripted-action.ts';
import { StepError } from '../src/tasks/runs/step-error.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let runs: RunCalls;
let scripted: ScriptedAction;

beforeAll(async () => {
  app = await TestApp.start();
  runs = new RunCalls(app);
  scripted = ScriptedAction.install(app);
});
afterAll(() => app.close());

const SECRET = 'return "source of the secret recipe"';
const code = (id: string, source = SECRET) => ({ id, kind: 'code' as const, source });

/** The entries about a target, oldest first, without their times. */
async function entriesOf(targetId: string): Promise<Partial<AuditEntry>[]> {
  const { body, text } = await app.request<Page<AuditEntry>>('GET', '/api/audit?limit=200');
  expect(text).not.toContain('secret recipe');
  return body.items
    .filter((entry) => entry.targetId === targetId)
    .map(({ action, actor, details }) => ({ action, details, actor }))
    .reverse();
}

const actor = (userId: string) => expect.objectContaining({ id: userId }) as AuditEntry['actor'];

describe('the audit log', () => {
  verifies(
    'access.audit.tasks',
    'says who created, changed, and deleted a task, and what changed',
    async () => {
      const own = runs.by(app.member);
      const by = actor(app.member.userId);
      const task = await own.createTask([code('charge'), code('notify'), code('report')], { name: 'Ship' });
      const change = async (body: object) => {
        expect((await own.request<Task>('PATCH', `/tasks/${task.id}`, { body })).status).toBe(200);
      };
      await change({
        workflow: { steps: [code('report'), code('charge', `${SECRET};`), code('archive')] },
        concurrency: 9,
        retry: { attempts: 2 },
      });
      await change({ name: 'Ship orders', enabled: false, runs: 'CANCEL_QUEUED' });
      await change({ name: 'Ship orders' });
      expect((await app.request('DELETE', `/api/tasks/${task.id}`)).status).toBe(204);

      const changed = (fields: string[], text: string, name = 'Ship orders') => ({
        action: 'task.update',
        details: { name, fields, change: text },
        actor: by,
      });
      expect(await entriesOf(task.id)).toEqual([
        {
          action: 'task.create',
          details: { name: 'Ship', type: 'MANUAL', steps: ['charge', 'notify', 'report'] },
          actor: by,
        },
        changed(
          ['concurrency', 'retry', 'workflow'],
          'Added step archive; removed step notify; changed step charge; reordered the steps; concurrency from 5 to 9; retry.attempts from 0 to 2.',
          'Ship',
        ),
        changed(
          ['name', 'enabled', 'runs'],
          'Renamed to "Ship orders"; disabled; canceled its waiting runs.',
          'Ship',
        ),
        changed(['name'], 'Nothing changed.'),
        { action: 'task.delete', details: { name: 'Ship orders' }, actor: actor(app.admin.userId) },
      ]);
    },
  );

  verifies('access.audit.tasks', 'says who started, canceled, and retried a run', async () => {
    const held = gate();
    const task = await runs.createTask(
      [
        scripted.step('waits', async ({ signal }) => {
          held.open();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          throw new StepError('STEP_FAILED', 'Stopped');
        }),
      ],
      { name: 'Waits', concurrency: 1 },
    );
    const details = { name: 'Waits', taskId: task.id };
    const running = await runs.start(task, { card: 'the secret recipe' });
    await held.opened;
    const queued = await runs.start(task);
    await runs.cancel(queued);
    await runs.cancel(running);
    await runs.cancel(running);
    await runs.reached(running, 'CANCELLED');
    await runs.cancel(running);
    expect((await runs.retry(queued)).status).toBe(202);
    expect((await runs.retry(queued)).status).toBe(409);

    const by = actor(app.admin.userId);
    const entry = (action: string, more: object = {}) => ({
      action,
      details: { ...details, ...more },
      actor: by,
    });
    expect(await entriesOf(running.id)).toEqual([
      entry('run.start'),
      entry('run.cancel', { change: 'Requested while it was running.' }),
    ]);
    expect(await entriesOf(queued.id)).toEqual([
      entry('run.start'),
      entry('run.cancel', { change: 'Canceled before it started.' }),
      entry('run.retry', { change: 'Attempt 2.' }),
    ]);
    const bulk = await runs.request('POST', `/tasks/${task.id}/runs/cancel`, { body: {} });
    expect(bulk.status).toBe(202);
    const ofTask = (await entriesOf(task.id)).map(({ action }) => action);
    expect(ofTask).toEqual(['task.create', 'task.cancel-runs']);
  });

  verifies('access.audit.tasks', 'says who emitted a test event, but not with which payload', async () => {
    await installApplication(app);
    const path = '/api/events/catalog/shop/order.created/test';
    const body = { payload: { total: 1, note: 'the secret recipe' } };
    const { status, body: emitted } = await app.request<EmitResponse>('POST', path, { body });
    expect([status, emitted.envelopeId]).toEqual([200, expect.any(String)]);
    expect(await entriesOf(emitted.envelopeId)).toEqual([
      {
        action: 'event.test',
        details: { applicationIdentifier: 'shop', event: 'order.created' },
        actor: actor(app.admin.userId),
      },
    ]);
  });

  verifies('access.audit.tasks', 'forgets runs as long after they started as runs are kept', async () => {
    const task = await runs.createTask([code('one')]);
    const [old, recent] = [await runs.start(task), await runs.start(task)];
    await app.sql(
      `update audit_entry set id = uuid_v7_floor(clock_timestamp() - interval '91 days') where target_id = $1`,
      [old.id],
    );
    await app.sql(
      `update audit_entry set id = uuid_v7_floor(clock_timestamp() - interval '92 days')
       where target_id = $1 and action = 'task.create'`,
      [task.id],
    );
    await app.sweep();
    expect(await entriesOf(old.id)).toEqual([]);
    expect(await entriesOf(recent.id)).toHaveLength(1);
    expect(await entriesOf(task.id)).toHaveLength(1);
  });
});
