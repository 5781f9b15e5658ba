import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Interaction } from '@platform/contracts';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { renderInApp } from '../../../../test/render.tsx';
import { QuestionForm } from './question-form.tsx';
import type { Choice } from './question.ts';

afterEach(cleanup);

const interaction: Interaction = {
  interactionId: 'i-1',
  turnId: 't-1',
  sessionId: 's-1',
  kind: 'single',
  question: 'Which color?',
  options: [
    { id: 'r', label: 'Red' },
    { id: 'b', label: 'Blue' },
  ],
  allowOther: true,
  minSelected: 1,
  maxSelected: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
};

async function setUp(changes: Partial<Interaction> = {}) {
  const onAnswer = jest.fn((_: Choice) => Promise.resolve());
  const user = await renderInApp(
    <QuestionForm interaction={{ ...interaction, ...changes }} onAnswer={onAnswer} />,
  );
  return { user, onAnswer };
}

const answer = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Answer' });

describe('QuestionForm', () => {
  it('sends the id of the chosen option', async () => {
    const { user, onAnswer } = await setUp();
    expect(answer().disabled).toBe(true);
    await user.click(screen.getByLabelText('Red'));
    await user.click(screen.getByLabelText('Blue'));
    await user.click(answer());
    await waitFor(() =>
      expect(onAnswer.mock.calls.map(([choice]) => choice)).toEqual([{ selectedOptionIds: ['b'] }]),
    );
  });

  it('replaces the chosen option by free text', async () => {
    const { user, onAnswer } = await setUp();
    await user.click(screen.getByLabelText('Red'));
    await user.click(screen.getByRole('radio', { name: 'Something else' }));
    expect(answer().disabled).toBe(true);
    await user.type(screen.getByRole('textbox'), ' green ');
    await user.click(answer());
    await waitFor(() =>
      expect(onAnswer.mock.calls.map(([choice]) => choice)).toEqual([
        { selectedOptionIds: [], otherText: 'green' },
      ]),
    );
  });

  it('requires the minimum number of options, and no more than the maximum', async () => {
    const { user, onAnswer } = await setUp({ kind: 'multi', minSelected: 2, maxSelected: 2 });
    await user.click(screen.getByLabelText('Red'));
    expect(answer().disabled).toBe(true);
    await user.click(screen.getByLabelText('Blue'));
    expect(answer().disabled).toBe(false);
    await user.click(screen.getByRole('checkbox', { name: 'Something else' }));
    await user.type(screen.getByRole('textbox'), 'green');
    expect(answer().disabled).toBe(true);
    expect(onAnswer).not.toHaveBeenCalled();
  });

  it('shows why an answer was rejected', async () => {
    const { user, onAnswer } = await setUp();
    onAnswer.mockRejectedValueOnce(new Error('The question has expired'));
    await user.click(screen.getByLabelText('Red'));
    await user.click(answer());
    expect((await screen.findByRole('alert')).textContent).toBe('The question has expired');
  });
});
