import { expect, it } from '@jest/globals';
import { getFigures, listBetter } from './compare.ts';
import { createLiveTurn } from '../turns/live-turn.ts';

it('reads the figures of an answer that has ended', () => {
  const turn = { ...createLiveTurn('t1', null), firstTextAt: 10_400 };
  const completed = {
    execution_time: 1.5,
    token_usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.25 },
  };
  const ended = {
    ...turn,
    completed: completed as NonNullable<typeof turn.completed>,
    completedAt: 11_600,
  };
  expect(getFigures(undefined)).toEqual({});
  expect(getFigures(turn)).toEqual({});
  expect(getFigures(ended)).toEqual({ firstText: 300, seconds: 1.5, tokens: 3, cost: 0.25 });
  expect(getFigures({ ...ended, firstTextAt: null })).toEqual({ seconds: 1.5, tokens: 3, cost: 0.25 });
});

it('says in what an answer was better, never for what is equal or unknown', () => {
  const one = { firstText: 100, seconds: 2, tokens: 10, cost: 0 };
  expect(listBetter(one, { firstText: 200, seconds: 1, tokens: 10 })).toEqual(['firstText']);
  expect(listBetter({}, one)).toEqual([]);
  // The model of the first answer has no price.
  expect(listBetter({ cost: 0 }, { cost: 0.1 })).toEqual([]);
});
