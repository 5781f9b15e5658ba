import { describe, expect, it } from '@jest/globals';
import type { Step, Task } from '@platform/contracts';
import { createTaskForm, findTaskField, toTaskForm, toTaskRequest } from './task.ts';

const steps: Step[] = [
  { id: 'load', kind: 'code', source: 'return 1;' },
  { id: 'ask', kind: 'agent', agentId: 'a-1', inputs: { query: '{{steps.load.output}}' } },
  { id: 'call', kind: 'tool', toolId: 't-1', method: 'find', input: { n: 1 } },
  { id: 'tell', kind: 'emit', applicationIdentifier: 'shop', event: 'order.paid', payload: { a: null } },
  { id: 'all', kind: 'data', applicationIdentifier: 'shop', table: 'orders', operation: 'find' },
  {
    id: 'page',
    kind: 'data',
    applicationIdentifier: 'shop',
    table: 'orders',
    operation: 'find',
    where: { total: { $gte: 1 } },
    order: '-total',
    limit: 5,
    cursor: '{{steps.all.output.nextCursor}}',
  },
  {
    id: 'add',
    kind: 'data',
    applicationIdentifier: 'shop',
    table: 'orders',
    operation: 'insert',
    values: [{ n: 1 }],
  },
  {
    id: 'change',
    kind: 'data',
    applicationIdentifier: 'shop',
    table: 'orders',
    operation: 'update',
    where: { id: '{{steps.add.output.rows.0.id}}' },
    values: { n: null },
  },
  { id: 'hour', kind: 'wait', for: 'PT1H', when: 'inputs.slow', timeoutMs: 1_000 },
  { id: 'day', kind: 'wait', until: '{{inputs.day}}' },
  {
    id: 'paid',
    kind: 'wait',
    event: { applicationIdentifier: 'shop', event: 'order.paid', filter: { n: 1 }, timeoutMs: 5_000 },
  },
  {
    id: 'orders',
    kind: 'each',
    name: 'All orders',
    items: '{{inputs.orders}}',
    concurrency: 3,
    onItemError: 'continue',
    steps: [
      {
        id: 'size',
        kind: 'branch',
        branches: [
          {
            when: 'item.total > 1',
            steps: [
              {
                id: 'large',
                kind: 'ask',
                message: 'Ship {{item.id}}?',
                to: { userIds: ['u-1'] },
                approval: true,
                fields: [
                  { key: 'why', label: 'Why', type: 'choice', choices: ['a', 'b'], required: true },
                  { key: 'note', label: 'Note', type: 'text' },
                ],
                timeoutMs: 60_000,
                onError: 'continue',
              },
            ],
          },
        ],
        otherwise: [{ id: 'small', kind: 'task', taskId: 't-1', inputs: { n: '{{index}}' }, wait: false }],
      },
    ],
  },
  {
    id: 'list',
    kind: 'each',
    items: [1, 2],
    steps: [{ id: 'one', kind: 'code', source: 'x', retry: { attempts: 2 } }],
  },
  { id: 'owner', kind: 'ask', message: 'Really?' },
];
const task: Task = {
  id: 't',
  name: 'Ship',
  type: 'EVENT',
  schedule: null,
  workflow: { steps },
  version: 1,
  concurrency: 3,
  concurrencyKey: '{{trigger.payload.customer}}',
  perKey: 2,
  timeoutMs: 5_000,
  retry: { attempts: 2, backoffMs: 500, onInterrupted: true },
  enabled: false,
  disabledReason: null,
  ownerUserId: 'u',
  nextDueAt: null,
  application: null,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};

describe('the form of a task', () => {
  it('becomes the request that the task came from', () => {
    const { name, type, concurrency, concurrencyKey, perKey, timeoutMs, retry, enabled } = task;
    expect(toTaskRequest(toTaskForm(task, 'UTC'))).toEqual({
      name,
      type,
      concurrency,
      concurrencyKey,
      perKey,
      timeoutMs,
      retry,
      enabled,
      schedule: null,
      workflow: { steps },
    });
  });

  it('sends a schedule only for scheduled tasks', () => {
    const form = createTaskForm('SCHEDULE', 'Europe/Berlin');
    expect(toTaskRequest(form).schedule).toEqual({
      cron: '0 9 * * 1-5',
      timezone: 'Europe/Berlin',
      overlap: 'queue-one',
    });
    expect(toTaskRequest({ ...form, type: 'MANUAL' }).schedule).toBeNull();
  });

  it('sends only the fields of the kind of a step', () => {
    const form = createTaskForm('MANUAL', 'UTC');
    form.workflow.steps = [{ id: 's', kind: 'code', source: 'x', agentId: 'left over' }];
    expect(toTaskRequest(form).workflow.steps).toEqual([{ id: 's', kind: 'code', source: 'x' }]);
  });

  it('sends only the fields of the operation of a data step', () => {
    const form = createTaskForm('MANUAL', 'UTC');
    const left = { where: '{"a":1}', order: 'a', limit: '5', cursor: 'c', values: '{"b":2}' };
    const to = { applicationIdentifier: 'shop', table: 'orders' };
    const operations = ['find', 'get', 'insert', 'update', 'delete'];
    form.workflow.steps = operations.map((operation) => ({
      id: operation,
      kind: 'data',
      operation,
      ...to,
      ...left,
    }));
    const where = { a: 1 };
    const values = { b: 2 };
    expect(toTaskRequest(form).workflow.steps).toEqual([
      { id: 'find', kind: 'data', operation: 'find', ...to, where, order: 'a', limit: 5, cursor: 'c' },
      { id: 'get', kind: 'data', operation: 'get', ...to, where },
      { id: 'insert', kind: 'data', operation: 'insert', ...to, values },
      { id: 'update', kind: 'data', operation: 'update', ...to, where, values },
      { id: 'delete', kind: 'data', operation: 'delete', ...to, where },
    ]);
  });

  it('finds the field and the card that an error of the service names, also inside of steps', () => {
    const inner = 'workflow.steps.0.branches.1.steps.0';
    const shown = [
      ...['id', 'branches', 'otherwise', 'branches.0.when', 'branches.1.steps'].map(
        (f) => `workflow.steps.0.${f}`,
      ),
      ...['id', 'source', 'retry.attempts'].map((f) => `${inner}.${f}`),
      'workflow.steps',
      'workflow.steps.1.id',
      'workflow.steps.1.json',
    ];
    const find = (named: string) => findTaskField(named, shown);
    expect(find('schedule.cron')).toBe('schedule.cron');
    expect(find('workflow.steps')).toBe('workflow.steps');
    expect(find(`${inner}.source`)).toBe(`${inner}.source`);
    expect(find(`${inner}.source.length`)).toBe(`${inner}.source`);
    expect(find('workflow.steps.0.branches.1.steps')).toBe('workflow.steps.0.branches.1.steps');
    expect(find(`${inner}.agentId`)).toBe(`${inner}.id`);
    expect(find('workflow.steps.0.branches.4.when')).toBe('workflow.steps.0.id');
    expect(find('workflow.steps.1.items')).toBe('workflow.steps.1.json');
    expect(find('color')).toBeUndefined();
  });
});
