import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import type { CatalogApplication, Envelope, Run, Subscription, Task } from '@platform/contracts';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client, queryClient } from '../../../api.ts';
import { TestPanel } from './test-panel.tsx';
import { useTaskTest } from './use-task-test.ts';

const STEPS = [{ id: 'greet', kind: 'code' as const, source: 'return context.execution.inputs.name;' }];
const task = (type: Task['type']) => ({ id: 't', type, workflow: { steps: STEPS } }) as Task;
const envelope = (id: string, payload: object, erasure: object | null = null) =>
  ({ id, event: 'order.paid', payload, erasure, emittedAt: '2026-01-01T10:00:00.000Z' }) as Envelope;
const RUN = {
  id: 'r',
  status: 'SUCCEEDED',
  test: { effects: 'none', workflow: null, envelopeId: null },
  steps: [
    {
      id: 'greet',
      scope: 'greet',
      kind: 'tool',
      status: 'SUCCEEDED',
      stepAttempt: 1,
      startedAt: '2026-01-01T10:00:00.000Z',
      durationMs: 1,
      log: '',
      input: null,
      output: { id: 7 },
      simulated: { by: 'example', runId: null },
    },
  ],
  questions: [] as Run['questions'],
} as object as Run;

const SUBSCRIPTION = { applicationIdentifier: 'shop', event: 'order.paid' } as Subscription;

function answer(envelopes: Envelope[], role: 'ADMIN' | 'MEMBER' = 'ADMIN') {
  jest.spyOn(client.events, 'subscriptions').mockReturnValue(page([SUBSCRIPTION]) as never);
  jest.spyOn(client.events, 'catalog').mockResolvedValue([] as CatalogApplication[]);
  const listed = jest.spyOn(client.events, 'envelopes').mockReturnValue(page(envelopes) as never);
  jest.spyOn(client.auth, 'refresh').mockResolvedValue({ space: { role } } as never);
  localStorage.setItem('platform.signed-in', 'yes');
  jest.spyOn(client.runs, 'get').mockResolvedValue(RUN);
  const test = jest.spyOn(client.tasks, 'test').mockResolvedValue(RUN);
  return { listed, test };
}

const page = (items: unknown[]) => Promise.resolve({ items, nextCursor: null });

type Change = Partial<Parameters<typeof TestPanel>[0]>;

function TestOf({ type, ...change }: Change & { type: Task['type'] }) {
  return <TestPanel test={useTaskTest(task(type))} readWorkflow={() => Promise.resolve({})} {...change} />;
}

async function open(type: Task['type'], change: Change = {}) {
  const user = await renderInApp(
    <MemoryRouter>
      <TestOf type={type} {...change} />
    </MemoryRouter>,
  );
  return { user, start: () => user.click(screen.getByRole('button', { name: 'Start test' })) };
}

afterEach(() => {
  cleanup();
  queryClient.clear();
  jest.restoreAllMocks();
});
// jsdom has no layout.
Element.prototype.scrollIntoView = () => undefined;

describe('TestPanel', () => {
  it('tests with the latest event whose payload is left, or another one, and marks what was not executed', async () => {
    const { listed, test } = answer([
      envelope('e1', {}, { erasedAt: 'x' }),
      envelope('e2', { order: 'A-2' }),
      envelope('e3', { order: 'A-3' }),
    ]);
    const { start, user } = await open('EVENT');
    expect(await screen.findByRole('radio', { name: /A-2/ })).toHaveProperty('checked', true);
    expect(screen.getByRole('radio', { name: /Payload erased/ })).toHaveProperty('disabled', true);
    expect(listed).toHaveBeenCalledWith({ limit: 20, applicationIdentifier: 'shop', event: 'order.paid' });
    await start();
    const result = within(await screen.findByRole('region', { name: 'Result of the test' }));
    expect(test).toHaveBeenLastCalledWith('t', { envelopeId: 'e2', effects: 'none' });
    expect(result.getByText('Simulated')).toBeDefined();
    expect(result.getByText(/The output is an example/)).toBeDefined();
    await user.click(screen.getByRole('radio', { name: /A-3/ }));
    await user.click(screen.getByRole('radio', { name: 'With real effects' }));
    expect(screen.getByRole('alert').textContent).toContain('changes your rows');
    await start();
    expect(test).toHaveBeenLastCalledWith('t', { envelopeId: 'e3', effects: 'real' });
  });

  it('begins with the inputs that the steps read, and sends what is not saved', async () => {
    const { test } = answer([]);
    const workflow = { steps: [{ ...STEPS[0], source: 'return 2;' }] } as Task['workflow'];
    const { start } = await open('MANUAL', { readWorkflow: () => Promise.resolve({ workflow }) });
    expect(await screen.findByDisplayValue(/"name": ""/)).toBeDefined();
    await start();
    expect(test).toHaveBeenLastCalledWith('t', { inputs: { name: '' }, workflow, effects: 'none' });
  });

  it('sends no integer that would become another one', async () => {
    answer([]);
    await open('MANUAL');
    const inputs = await screen.findByDisplayValue(/"name": ""/);
    fireEvent.change(inputs, { target: { value: '{"ids": [1, 9007199254740993]}' } });
    expect(screen.getByRole('status').textContent).toContain(
      'ids[1] is an integer that a number cannot hold',
    );
    expect(screen.getByRole('button', { name: 'Start test' })).toHaveProperty('disabled', true);
  });

  it('starts nothing while the form is not valid, and leaves errors of steps to the form', async () => {
    const { test } = answer([]);
    const onRefused = jest.fn<(error: Error) => void>();
    const readWorkflow = jest.fn<() => Promise<object | null>>().mockResolvedValueOnce(null);
    const { start } = await open('MANUAL', { readWorkflow: readWorkflow.mockResolvedValue({}), onRefused });
    await start();
    expect(test).not.toHaveBeenCalled();
    const error = new PlatformError({
      status: 400,
      code: 'VALIDATION_ERROR',
      message: 'workflow.steps.0.id must differ',
      requestId: null,
      turnId: null,
      retryAfter: null,
    });
    test.mockRejectedValue(error);
    await start();
    expect((await screen.findByRole('alert')).textContent).toBe(
      'Steps have errors: see the fields that are marked.',
    );
    expect(onRefused.mock.calls.map(([refused]) => refused)).toEqual([error]);
  });

  it('says that the events of the task could not be loaded, and tries again', async () => {
    answer([envelope('e1', { order: 'A-1' })]);
    const subscriptions = jest.spyOn(client.events, 'subscriptions');
    subscriptions.mockRejectedValueOnce(new Error('The service is busy'));
    const { user } = await open('EVENT');
    await screen.findByText('The service is busy');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('radio', { name: /A-1/ });
  });

  it('says that the catalog of events could not be loaded', async () => {
    answer([]);
    jest.spyOn(client.events, 'subscriptions').mockReturnValue(page([]) as never);
    jest.spyOn(client.events, 'catalog').mockRejectedValue(new Error('The service is busy'));
    const { user } = await open('EVENT');
    await user.click(await screen.findByRole('combobox', { name: 'Event' }));
    await screen.findByText('The list could not be loaded.');
  });
});
