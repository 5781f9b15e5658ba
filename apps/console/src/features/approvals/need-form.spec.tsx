import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { AskedCall, Interaction } from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { keys } from '../../api.ts';
import { tellConnected } from '../connections/connected-elsewhere.ts';
import type { Choice } from '../playground/turns/question.ts';
import { NeedForm } from './need-form.tsx';
import { purposeOf } from './need.ts';

afterEach(cleanup);

const call: AskedCall = {
  toolId: 't',
  tool: 'Shop',
  method: 'refund',
  arguments: { amount: 40 },
  hash: 'h',
  rule: 'agent',
  why: 'The agent is set to ask.',
  once: false,
  approvers: 'requester',
};

const interaction: Interaction = {
  interactionId: 'i-1',
  turnId: 't-1',
  sessionId: 's-1',
  kind: 'single',
  purpose: 'approval',
  question: 'May Shop.refund be called?\n{}',
  options: [
    { id: 'approve', label: 'Approve' },
    { id: 'reject', label: 'Reject' },
  ],
  allowOther: true,
  minSelected: 1,
  maxSelected: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
};

async function setUp(changes: Partial<Interaction> = {}, asked: AskedCall | null = call) {
  const onAnswer = jest.fn((_: Choice) => Promise.resolve());
  const shown = { ...interaction, ...(asked && { call: asked }), ...changes };
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(keys.session, { user: { id: 'u' }, space: { id: 's', name: 'S', role: 'MEMBER' } });
  const user = await renderInApp(
    <QueryClientProvider client={queries}>
      <NeedForm interaction={shown} purpose={purposeOf(shown) ?? 'approval'} onAnswer={onAnswer} />
    </QueryClientProvider>,
  );
  const answers = () => onAnswer.mock.calls.map(([choice]) => choice);
  return { user, answers };
}

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

describe('NeedForm', () => {
  it('shows the call and why it asks, and approves it', async () => {
    const { user, answers } = await setUp();
    expect(screen.getByText('Shop.refund')).toBeTruthy();
    expect(screen.getByRole('group', { name: 'Arguments' }).textContent).toContain('"amount": 40');
    expect(screen.getByText(/The agent is set to ask/)).toBeTruthy();
    await user.click(button('Approve'));
    await waitFor(() => expect(answers()).toEqual([{ selectedOptionIds: ['approve'] }]));
  });

  it('rejects it with a reason', async () => {
    const { user, answers } = await setUp();
    await user.click(button('Reject'));
    await user.type(screen.getByRole('textbox'), 'Too much');
    await user.click(button('Reject'));
    await waitFor(() =>
      expect(answers()).toEqual([{ selectedOptionIds: ['reject'], otherText: 'Too much' }]),
    );
  });

  it('sends no changed arguments with an integer that would become another one', async () => {
    const { user } = await setUp();
    await user.click(button('Change the arguments'));
    fireEvent.change(screen.getByLabelText('Arguments'), { target: { value: '{"amount": 1e400}' } });
    expect(screen.getByRole('alert').textContent).toContain('amount is too large a number');
    expect(button('Approve').disabled).toBe(true);
  });

  it('sends no number that would become another one', async () => {
    const fields = [{ key: 'count', label: 'Count', type: 'number' as const, required: true }];
    const { user, answers } = await setUp({ purpose: 'form', fields }, null);
    await user.type(screen.getByRole('spinbutton'), '9007199254740993');
    await user.click(button('Send'));
    await screen.findByText('A number cannot hold this value exactly.');
    await user.clear(screen.getByRole('spinbutton'));
    await user.type(screen.getByRole('spinbutton'), '12.5');
    await user.click(button('Send'));
    await waitFor(() =>
      expect(answers()).toEqual([{ selectedOptionIds: ['approve'], values: { count: 12.5 } }]),
    );
  });

  it('leaves the decision to others', async () => {
    await setUp({ call: { ...call, approvers: 'others' } });
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull();
    expect(screen.getByText(/Somebody else decides/)).toBeTruthy();
  });

  it('links to a connection', async () => {
    const { user, answers } = await setUp({ purpose: 'connection', path: '/x' }, null);
    expect(screen.getByRole('link', { name: 'Connect the account' }).getAttribute('href')).toBe('/x');
    await user.click(button('I have connected the account'));
    await waitFor(() => expect(answers()).toEqual([{ selectedOptionIds: ['approve'] }]));
  });

  it('sends a member to an admin for a connection of the space', async () => {
    const path = '/connections?connection=1';
    const { user, answers } = await setUp({ purpose: 'connection', path }, null);
    expect(screen.queryByRole('link')).toBeNull();
    expect(screen.getByText(/ask an admin to sign in/)).toBeTruthy();
    await user.click(button('I have connected the account'));
    await waitFor(() => expect(answers()).toEqual([{ selectedOptionIds: ['approve'] }]));
  });

  it('goes on once the account was connected in the tab that it has opened', async () => {
    const { user, answers } = await setUp({ purpose: 'connection', path: '/x' }, null);
    tellConnected();
    await user.click(screen.getByRole('link', { name: 'Connect the account' }));
    expect(answers()).toEqual([]);
    tellConnected();
    await waitFor(() => expect(answers()).toEqual([{ selectedOptionIds: ['approve'] }]));
  });
});

describe('the purpose of an interaction', () => {
  it('is null for a question of the agent', () => {
    expect(purposeOf({ ...interaction, purpose: 'question' })).toBeNull();
  });
});
