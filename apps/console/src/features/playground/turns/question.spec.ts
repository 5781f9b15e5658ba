import { describe, expect, it } from '@jest/globals';
import type { Interaction } from '@platform/contracts';
import { listAnswerLabels, isAnswer } from './question.ts';

const question: Interaction = {
  interactionId: 'i1',
  turnId: 't1',
  sessionId: 's1',
  kind: 'multi',
  question: 'Which?',
  options: [
    { id: 'a', label: 'Green' },
    { id: 'b', label: 'Black' },
  ],
  allowOther: true,
  minSelected: 1,
  maxSelected: 2,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
};

describe('isAnswer', () => {
  it('counts free text as one choice, within the limits', () => {
    expect(isAnswer(question, { selectedOptionIds: [] })).toBe(false);
    expect(isAnswer(question, { selectedOptionIds: [], otherText: 'white' })).toBe(true);
    expect(isAnswer(question, { selectedOptionIds: ['a', 'b'] })).toBe(true);
    expect(isAnswer(question, { selectedOptionIds: ['a', 'b'], otherText: 'white' })).toBe(false);
  });

  it('rejects blank text, and any text if the question does not allow it', () => {
    expect(isAnswer(question, { selectedOptionIds: ['a'], otherText: '  ' })).toBe(false);
    expect(isAnswer({ ...question, allowOther: false }, { selectedOptionIds: [], otherText: 'x' })).toBe(
      false,
    );
  });
});

describe('listAnswerLabels', () => {
  it('returns the labels in the order of the options, free text last', () => {
    expect(listAnswerLabels(question, { selectedOptionIds: ['b', 'a'], otherText: 'white' })).toEqual([
      'Green',
      'Black',
      'white',
    ]);
  });
});
