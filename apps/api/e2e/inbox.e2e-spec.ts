import { randomUUID } from 'node:crypto';
import type {
  AnswerQuestionRequest,
  ErrorBody,
  InboxCount,
  Page,
  Question,
  QuestionListing,
  Run,
  Step,
  Task,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { lockWait } from './harness/lock-waits.ts';
import { RunCalls } from './harness/run-calls.ts';
import { problemsOf } from './harness/problems.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let runs: RunCalls;

beforeAll(async () => {
  app = await TestApp.start();
  runs = new RunCalls(app);
});
afterAll(() => app.close());

const FIELDS = [
  { key: 'amount', label: 'Amount', type: 'number', required: true },
  { key: 'reason', label: 'Reason', type: 'choice', choices: ['damaged', 'late'] },
  { key: 'day', label: 'Day', type: 'date' },
  { key: 'express', label: 'Express', type: 'boolean' },
  { key: 'text', label: 'Text', type: 'text' },
] as const;

const ask = (more: object = {}) =>
  ({ id: 'ask', kind: 'ask', message: 'Refund?', ...more }) as object as Step;
const result = { id: 'result', kind: 'code', source: 'return context.steps.ask.output;' } as Step;

const inbox = async (as: TestUser, query = '') =>
  (await app.request<Page<QuestionListing>>('GET', `/api/inbox${query}`, { as })).body;
const get = (id: string, as = app.admin) =>
  app.request<Question & ErrorBody>('GET', `/api/inbox/${id}`, { as });
const answer = (id: string, body: AnswerQuestionRequest | object, as = app.admin) =>
  app.request<Question & ErrorBody>('POST', `/api/inbox/${id}/answer`, { as, body });

/** Starts a run that asks. Returns it with its question once it waits. */
async function asking(
  step: Step,
  { as = app.admin, after = [result], inputs = {} }: { as?: TestUser; after?: Step[]; inputs?: object } = {},
): Promise<{ run: Run; id: string; task: Task }> {
  const calls = runs.by(as);
  const task = await calls.createTask([step, ...after]);
  const run = await calls.reached(await calls.start(task, inputs as Record<string, unknown>), 'WAITING');
  return { run, id: run.questions[0]?.id ?? '', task };
}

describe('a step of kind ask', () => {
  verifies(
    'inbox.ask',
    'waits without a process until its question is answered, and returns the answer',
    async () => {
      const step = ask({
        message: 'Refund {{inputs.total}} to {{inputs.name}}?',
        fields: FIELDS,
        approval: true,
        to: 'owner',
      });
      const { run, id, task } = await asking(step, { as: app.member, inputs: { total: 12, name: 'Ada' } });
      expect(run.questions).toEqual([{ id, scope: 'ask', message: 'Refund 12 to Ada?' }]);
      expect(await app.sql('select from run_queue where run_id = $1', [run.id])).toEqual([]);
      const { body: question } = await get(id, app.member);
      expect(question).toMatchObject({
        id,
        runId: run.id,
        taskId: task.id,
        taskName: task.name,
        scope: 'ask',
        message: 'Refund 12 to Ada?',
        fields: FIELDS,
        approval: true,
        recipients: 'owner',
        status: 'OPEN',
        values: null,
        approved: null,
        answeredBy: null,
        expiresAt: null,
        addressed: true,
      });
      const given = {
        approved: true,
        values: { amount: 10, reason: 'late', day: '2026-02-28' },
        note: 'Fine',
      };
      const answered = await answer(id, given, app.member);
      expect(answered.status).toBe(200);
      const by = { id: app.member.userId, name: expect.any(String) };
      expect(answered.body).toMatchObject({ ...given, status: 'ANSWERED', answeredBy: by });
      const ended = await runs.reached(run, 'SUCCEEDED');
      expect(ended.questions).toEqual([]);
      const output = ended.steps.find((one) => one.id === 'result')?.output;
      expect(output).toEqual({ ...given, answeredBy: by, answeredAt: answered.body.answeredAt });
    },
  );

  verifies('inbox.ask', 'that asks for no approval returns values alone', async () => {
    const { run, id } = await asking(ask({ fields: [FIELDS[4]] }));
    expect((await answer(id, { values: { text: 'yes \u{1F600}' } })).status).toBe(200);
    const ended = await runs.reached(run, 'SUCCEEDED');
    expect(ended.steps.at(-1)?.output).toEqual({
      values: { text: 'yes \u{1F600}' },
      answeredBy: { id: app.admin.userId, name: expect.any(String) },
      answeredAt: expect.any(String),
    });
  });

  verifies('inbox.ask', 'is refused with the path of what is wrong', async () => {
    const problem = async (more: object) => {
      const body = { name: 'X', type: 'MANUAL', workflow: { steps: [ask(more)] } };
      const refused = await app.request<ErrorBody>('POST', '/api/tasks', { body });
      expect(refused.status).toBe(400);
      return refused.body.message;
    };
    const field = (more: object) => ({ fields: [{ key: 'a', label: 'A', type: 'text', ...more }] });
    expect(await problem({ message: ' ' })).toContain('workflow.steps.0.message');
    expect(await problem(field({ key: '1' }))).toContain('workflow.steps.0.fields');
    expect(await problem(field({ type: 'color' }))).toContain('type must be one of');
    expect(await problem(field({ type: 'choice' }))).toContain('choices must be an array');
    expect(await problem(field({ choices: ['x'] }))).toContain('only a field of type choice');
    expect(await problem({ fields: [FIELDS[0], FIELDS[0]] })).toContain('another field has the key amount');
    expect(await problem({ to: 'everybody' })).toContain('workflow.steps.0.to must be owner, admins');
    expect(await problem({ to: { userIds: [] } })).toContain('workflow.steps.0.to must be owner, admins');
    const stranger = app.outsider.userId;
    expect(await problem({ to: { userIds: [stranger] } })).toContain(`${stranger} is not one`);
    expect(await problem({ timeoutMs: 999 })).toContain('workflow.steps.0.timeoutMs');
    expect(await problem({ timeoutMs: 367 * 24 * 3_600_000 })).toContain('workflow.steps.0.timeoutMs');
    expect(await problem({ colour: 'red' })).toContain('workflow.steps.0.colour');
  });

  verifies('inbox.ask', 'asks nothing without a message', async () => {
    const task = await runs.createTask([ask({ message: '{{inputs.note}}' })]);
    const run = await runs.reached(await runs.start(task, { note: ' ' }));
    expect([run.status, run.error?.message]).toEqual([
      'FAILED',
      expect.stringContaining('The message is empty'),
    ]);
  });

  verifies('inbox.ask', 'asks each item of a list by itself', async () => {
    const each = {
      id: 'rows',
      kind: 'each',
      items: '{{inputs.names}}',
      concurrency: 3,
      steps: [ask({ message: 'Invite {{item}}?', approval: true })],
    } as object as Step;
    const task = await runs.createTask([each]);
    const run = await runs.start(task, { names: ['Ada', 'Bob', 'Eve'] });
    const questions = await eventually(async () => {
      const found = (await runs.get(run)).questions;
      expect(found.map(({ message }) => message).sort()).toEqual([
        'Invite Ada?',
        'Invite Bob?',
        'Invite Eve?',
      ]);
      return found;
    });
    await Promise.all(
      questions.map(({ id, message }) => answer(id, { approved: message !== 'Invite Bob?' })),
    );
    const ended = await runs.reached(run, 'SUCCEEDED');
    const output = ended.steps.find(({ id }) => id === 'rows')?.output as { output: { approved: boolean } }[];
    expect(output.map((one) => one.output.approved)).toEqual([true, false, true]);
  });

  verifies('inbox.answer.closed', 'asks no longer when its run goes on without it', async () => {
    const child = await runs.createTask([{ id: 'pause', kind: 'wait', for: 'PT1H' }]);
    const inner = {
      id: 'rows',
      kind: 'each',
      items: ['ask', 'call', 'fail'],
      concurrency: 3,
      steps: [
        ask({ when: "item === 'ask'" }),
        { id: 'call', kind: 'task', taskId: child.id, inputs: {}, when: "item === 'call'" },
        { id: 'fail', kind: 'code', source: 'throw new Error("No");', when: "item === 'fail'" },
      ],
    };
    for (const step of [
      { ...inner, onError: 'continue' },
      { id: 'outer', kind: 'each', items: [1], onItemError: 'continue', steps: [inner] },
    ]) {
      const later = { id: 'later', kind: 'wait', for: 'PT1H' };
      const task = await runs.createTask([step, later] as object as Step[]);
      const run = await runs.reached(await runs.start(task), 'WAITING');
      expect(run.questions).toEqual([]);
      expect(await app.sql('select scope from run_wait where run_id = $1', [run.id])).toEqual([
        { scope: 'later' },
      ]);
      expect(await app.sql('select distinct status from run where task_id = $1', [child.id])).toEqual([
        { status: 'CANCELLED' },
      ]);
      await runs.endWaits(run);
      await runs.reached(run, 'SUCCEEDED');
    }
  });
});

describe('an answer', () => {
  verifies('inbox.answer.once', 'counts once, however many answer at the same moment', async () => {
    const { run, id } = await asking(ask({ fields: [FIELDS[0]], approval: true, to: 'admins' }));
    const given = Array.from({ length: 50 }, (_, i) => ({ approved: i % 2 === 0, values: { amount: i } }));
    const answers = await Promise.all(given.map((body) => answer(id, body)));
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const decision = given[winner]?.approved ? 'approved' : 'rejected';
    for (const [i, { status, body }] of answers.entries()) {
      if (i === winner) continue;
      expect(status).toBe(409);
      expect(body.message).toMatch(
        new RegExp(`^Question ${id} was answered by .* at 20.*: ${decision}; amount: ${winner}$`),
      );
    }
    const ended = await runs.reached(run, 'SUCCEEDED');
    expect(ended.steps.at(-1)?.output).toMatchObject(given[winner] ?? {});
    expect((await get(id)).body).toMatchObject({ status: 'ANSWERED', ...given[winner] });
    const late = await answer(id, { approved: true, values: { amount: 1 } });
    expect(late.status).toBe(409);
  });

  verifies('inbox.answer.values', 'is refused field by field', async () => {
    const { run, id } = await asking(ask({ fields: FIELDS, approval: true }));
    const refusals = async (body: object) => {
      const refused = await answer(id, body);
      expect(refused.status).toBe(400);
      return problemsOf(refused.body);
    };
    expect(
      await refusals({
        values: { amount: '12', reason: 'other', day: '2026-02-30', express: 1, text: 5, more: true },
      }),
    ).toEqual([
      'approved is required: the question asks for approval',
      'values.more is not a field of the question',
      'values.amount must be a number',
      'values.reason must be one of damaged, late',
      'values.day must be a date such as 2026-03-31',
      'values.express must be true or false',
      'values.text must be a text of at most 10000 characters',
    ]);
    expect(await refusals({ approved: true })).toEqual(['values.amount is required']);
    expect(await refusals({ approved: true, values: { amount: null } })).toEqual([
      'values.amount is required',
    ]);
    expect(await refusals({ approved: true, values: [] })).toHaveLength(1);
    expect(await refusals({ approved: 'yes', values: { amount: 1 } })).toHaveLength(1);
    expect(await refusals({ approved: true, values: { amount: 1 }, comment: 'x' })).toHaveLength(1);
    const text = `{"approved": true, "values": {"amount": 1, "__proto__": {"a": 1}}}`;
    const proto = await app.request<ErrorBody>('POST', `/api/inbox/${id}/answer`, {
      body: JSON.parse(text) as object,
    });
    expect(proto.body.message).toContain('values.__proto__ is not a field');
    // Who rejects need not fill in anything.
    expect((await answer(id, { approved: false, note: 'No' })).body).toMatchObject({
      approved: false,
      values: {},
    });
    const ended = await runs.reached(run, 'SUCCEEDED');
    expect(ended.steps.at(-1)?.output).toMatchObject({ approved: false, note: 'No', values: {} });
  });

  verifies('inbox.answer.values', 'approves nothing that asks for no approval', async () => {
    const { id } = await asking(ask());
    const refused = await answer(id, { approved: true });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'approved must not be given: the question asks for no approval',
    ]);
    expect((await answer(id, {})).status).toBe(200);
  });

  verifies(
    'inbox.answer.closed',
    'is refused after the time of the question, and the run goes on without it',
    async () => {
      const { run, id } = await asking(ask({ timeoutMs: 1_000 }));
      const ended = await runs.reached(run, 'SUCCEEDED');
      expect(ended.steps.at(-1)?.output).toEqual({ timedOut: true });
      const { body } = await get(id);
      expect(body).toMatchObject({ status: 'EXPIRED', answeredBy: null });
      const late = await answer(id, {});
      expect([late.status, late.body.message]).toEqual([
        409,
        `Question ${id} expired at ${body.expiresAt} without an answer`,
      ]);
    },
  );

  verifies(
    'inbox.answer.closed',
    'is refused once the time is over, also before anybody has noticed',
    async () => {
      const { run, id } = await asking(ask({ timeoutMs: 3_600_000 }));
      // The wait itself stays: only the question is over.
      await app.sql(
        `update question set expires_at = clock_timestamp() - interval '1 second' where id = $1`,
        [id],
      );
      expect((await answer(id, {})).status).toBe(409);
      expect((await runs.get(run)).status).toBe('WAITING');
      expect(
        await app.sql('select from run_wait where run_id = $1 and result is not null', [run.id]),
      ).toEqual([]);
      await runs.cancel(run);
    },
  );

  verifies('inbox.answer.closed', 'is refused after the end of the run', async () => {
    const cancelled = await asking(ask());
    expect((await runs.cancel(cancelled.run)).status).toBe(202);
    await runs.reached(cancelled.run, 'CANCELLED');
    const deleted = await asking(ask());
    expect((await app.request('DELETE', `/api/tasks/${deleted.task.id}`)).status).toBe(204);
    await runs.reached(deleted.run, 'CANCELLED');
    for (const { id } of [cancelled, deleted]) {
      expect((await get(id)).body).toMatchObject({ status: 'CANCELLED' });
      const refused = await answer(id, {});
      expect([refused.status, refused.body.message]).toEqual([
        409,
        `Question ${id} can no longer be answered: its run has ended or gone on`,
      ]);
    }
  });
});

describe('the inbox', () => {
  verifies('inbox.list', 'has the questions to the caller, the oldest first, page by page', async () => {
    const user = await app.addUser('MEMBER');
    const to = { userIds: [user.userId] };
    const made: string[] = [];
    for (let i = 0; i < 3; i++) made.push((await asking(ask({ message: `Question ${i}`, to }))).id);
    const first = await inbox(user, '?limit=2');
    const second = await inbox(user, `?limit=2&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made);
    expect(second.nextCursor).toBeNull();
    expect(first.items[0]).toMatchObject({ message: 'Question 0', recipients: to, status: 'OPEN' });
    expect(first.items[0]).not.toHaveProperty('fields');
    const count = async () =>
      (await app.request<InboxCount>('GET', '/api/inbox/count', { as: user })).body.open;
    expect(await count()).toBe(3);
    for (const id of made.slice(0, 2)) expect((await answer(id, {}, user)).status).toBe(200);
    expect(await count()).toBe(1);
    expect((await inbox(user)).items.map(({ id }) => id)).toEqual(made.slice(2));
    expect((await inbox(user, '?status=ANSWERED')).items.map(({ id }) => id)).toEqual(
      made.slice(0, 2).reverse(),
    );
    const wrong = await app.request('GET', `/api/inbox?status=ANSWERED&cursor=${first.nextCursor}`, {
      as: user,
    });
    expect(wrong.status).toBe(400);
    expect((await app.request('GET', '/api/inbox?status=GONE', { as: user })).status).toBe(400);
  });

  verifies(
    'inbox.addressed',
    'is answered by those to whom a question is addressed, and by nobody else',
    async () => {
      const other = await app.addUser('MEMBER');
      const admin = await app.addUser('ADMIN');
      const named = await asking(ask({ to: { userIds: [other.userId] } }), { as: app.member });
      const admins = await asking(ask({ to: 'admins' }), { as: app.member });
      const owner = await asking(ask(), { as: app.member });
      const listed = async (as: TestUser) => (await inbox(as, '?limit=200')).items.map(({ id }) => id);
      expect(await listed(other)).toEqual([named.id]);
      expect(await listed(admin)).toContain(admins.id);
      expect(await listed(admin)).not.toContain(owner.id);
      expect(await listed(app.member)).toContain(owner.id);

      // Whoever manages the task sees what it asks others.
      for (const as of [app.member, admin]) {
        expect((await get(named.id, as)).body).toMatchObject({ addressed: false });
        const refused = await answer(named.id, {}, as);
        expect([refused.status, refused.body.message]).toEqual([
          403,
          `Question ${named.id} is addressed to others`,
        ]);
      }
      for (const { id } of [admins, owner]) {
        expect((await get(id, other)).status).toBe(404);
        expect((await answer(id, {}, other)).status).toBe(404);
      }
      expect((await answer(named.id, {}, app.outsider)).status).toBe(403);
      expect((await answer(randomUUID(), {})).status).toBe(404);
      expect((await answer('x', {})).status).toBe(404);
      expect((await answer(named.id, {}, other)).status).toBe(200);
      expect((await answer(admins.id, {}, admin)).status).toBe(200);
      expect((await answer(owner.id, {}, app.member)).status).toBe(200);
    },
  );

  verifies('inbox.addressed', 'of the owner follows the task to another owner', async () => {
    const [before, after] = [await app.addUser('MEMBER'), await app.addUser('MEMBER')];
    const { id, task, run } = await asking(ask(), { as: before });
    const { status } = await app.request('POST', `/api/tasks/${task.id}/owner`, {
      body: { ownerUserId: after.userId },
    });
    expect(status).toBe(200);
    expect((await inbox(before)).items).toEqual([]);
    expect((await inbox(after)).items.map((question) => question.id)).toEqual([id]);
    expect((await answer(id, {}, after)).status).toBe(200);
    await runs.reached(run, 'SUCCEEDED');
  });

  verifies('inbox.addressed', 'of the owner follows the task also while it is being asked', async () => {
    const [before, after] = [await app.addUser('MEMBER'), await app.addUser('MEMBER')];
    const calls = runs.by(before);
    const task = await calls.createTask([ask()]);
    const holder = app.get(DataSource).createQueryRunner();
    await holder.startTransaction();
    await holder.query('lock table question in share mode');
    const run = await calls.start(task);
    await lockWait(app, 'relation');
    const given = app.request('POST', `/api/tasks/${task.id}/owner`, { body: { ownerUserId: after.userId } });
    await Promise.race([given, lockWait(app, 'transactionid')]);
    await holder.commitTransaction();
    await holder.release();
    expect((await given).status).toBe(200);
    await runs.reached(run, 'WAITING');
    expect((await inbox(after)).items).toMatchObject([{ runId: run.id }]);
  });

  verifies('inbox.addressed', 'ends with the last one who was named and leaves', async () => {
    const [first, last] = [await app.addUser('MEMBER'), await app.addUser('MEMBER')];
    const leave = async ({ userId }: TestUser) =>
      expect((await app.request('DELETE', `/api/members/${userId}`)).status).toBe(204);
    const { run, id } = await asking(ask({ to: { userIds: [first.userId, last.userId] } }));
    await leave(first);
    expect((await inbox(last)).items.map((question) => question.id)).toEqual([id]);
    await leave(last);
    const ended = await runs.reached(run);
    expect(ended).toMatchObject({ status: 'FAILED', error: { code: 'NO_RECIPIENTS' } });
    expect((await get(id)).body).toMatchObject({ status: 'CANCELLED' });
  });

  verifies(
    'inbox.addressed',
    'is of nobody if all who were named have left: the step fails and says so',
    async () => {
      const user = await app.addUser('MEMBER');
      const task = await runs.createTask([ask({ to: { userIds: [user.userId] } })]);
      expect((await app.request('DELETE', `/api/members/${user.userId}`)).status).toBe(204);
      const run = await runs.reached(await runs.start(task));
      expect(run).toMatchObject({ status: 'FAILED', error: { code: 'NO_RECIPIENTS' } });
    },
  );

  verifies('inbox.answer.once', 'is told to the audit log, without what was entered', async () => {
    const { id, run } = await asking(ask({ approval: true, fields: [FIELDS[4]] }));
    await answer(id, { approved: true, values: { text: 'secret' } });
    const { body, text } = await app.request<Page<{ targetId: string; details: object }>>(
      'GET',
      '/api/audit?action=question.answer',
    );
    expect(text).not.toContain('secret');
    expect(body.items[0]).toMatchObject({ targetId: id, details: { approved: true, runId: run.id } });
  });

  verifies('client.inbox', 'is read and answered with the client, which waits for the run', async () => {
    const client = app.client();
    const task = await runs.createTask([ask({ approval: true }), result]);
    const started = await client.tasks.run(task.id);
    const waiting = await client.runs.waitFor(started.id, { until: ['WAITING'], pollMs: 50 });
    const id = waiting.questions[0]?.id ?? '';
    const { items } = await client.inbox.list({ limit: 200 });
    expect(items.map((question) => question.id)).toContain(id);
    expect((await client.inbox.count()).open).toBeGreaterThan(0);
    await client.inbox.answer(id, { approved: false });
    expect(await client.inbox.get(id)).toMatchObject({ status: 'ANSWERED', approved: false });
    const ended = await client.runs.waitFor(started.id, { pollMs: 50 });
    expect(ended).toMatchObject({ status: 'SUCCEEDED' });
    await expect(client.inbox.answer(id, { approved: true })).rejects.toMatchObject({ status: 409 });
  });
});

verifies('inbox.answer.restart', 'a question is answered after a restart, and its run goes on', async () => {
  const first = await TestApp.start();
  const calls = new RunCalls(first);
  const task = await calls.createTask([ask(), result]);
  const run = await calls.reached(await calls.start(task), 'WAITING');
  await first.close();
  const next = await TestApp.start({ database: first });
  try {
    const id = run.questions[0]?.id ?? '';
    const { status } = await next.request('POST', `/api/inbox/${id}/answer`, { body: {}, as: first.admin });
    expect(status).toBe(200);
    const ended = await new RunCalls(next, first.admin).reached(run, 'SUCCEEDED');
    expect(ended.steps.map((one) => one.id)).toEqual(['ask', 'result']);
  } finally {
    await next.close();
  }
});
