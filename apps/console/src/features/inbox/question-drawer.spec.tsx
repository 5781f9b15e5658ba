import { afterEach, expect, it, jest } from '@jest/globals';
import type { Question } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient } from '../../api.ts';
import { QuestionDrawer } from './question-drawer.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

const QUESTION = {
  id: 'q-1',
  status: 'OPEN',
  purpose: 'question',
  approval: false,
  addressed: true,
  message: 'Which shelf?',
  taskName: 'Store',
  runId: 'r-1',
  agent: null,
  requester: null,
  answeredBy: null,
  answeredAt: null,
  expiresAt: null,
  fields: [{ key: 'shelf', label: 'Shelf', type: 'text' }],
  values: null,
  note: null,
  call: null,
  path: null,
  edited: null,
  createdAt: '2026-01-01T00:00:00.000Z',
} as unknown as Question;

it('asks before an answer that was not sent is lost, and not after it was', async () => {
  const load = jest.spyOn(client.inbox, 'get').mockResolvedValue(QUESTION);
  const close = jest.fn();
  const user = await renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <QuestionDrawer questionId="q-1" onClose={close} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  const cross = () => fireEvent.click(screen.getAllByLabelText('Close')[0] as HTMLElement);
  await screen.findByLabelText('Note');
  cross();
  expect(close).toHaveBeenCalledTimes(1);

  fireEvent.change(screen.getByLabelText('Note'), { target: { value: 'The upper one, because …' } });
  cross();
  await user.click(await screen.findByText('Stay'));
  expect(close).toHaveBeenCalledTimes(1);

  const answered = { ...QUESTION, status: 'ANSWERED', approved: null } as Question;
  load.mockResolvedValue(answered);
  const answer = jest.spyOn(client.inbox, 'answer').mockResolvedValue(answered);
  await user.click(screen.getByRole('button', { name: 'Send answer' }));
  await screen.findByText('Your answer was sent');
  expect(answer).toHaveBeenCalled();
  cross();
  expect(close).toHaveBeenCalledTimes(2);
});
