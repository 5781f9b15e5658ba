import { describe, expect, it } from '@jest/globals';
import type { Interaction, Message, TurnStatus } from '@platform/contracts';
import { createLiveTurn } from './live-turn.ts';
import { listTurns } from './turn-list.ts';

function message(
  id: string,
  turnId: string,
  role: Message['role'],
  text: string,
  turnStatus: TurnStatus = 'COMPLETED',
) {
  const at = `2026-01-01T00:00:0${id}.000Z`;
  return { id, turnId, role, contents: [{ type: 'text' as const, text }], turnStatus, createdAt: at };
}

describe('listTurns', () => {
  it('groups messages by turn, oldest first, whatever their order', () => {
    const turns = listTurns(
      [
        message('4', 't2', 'assistant', 'B'),
        message('3', 't2', 'user', 'b'),
        message('2', 't1', 'assistant', 'A'),
        message('1', 't1', 'user', 'a'),
      ],
      [],
    );
    expect(turns.map(({ turnId, answer, status }) => [turnId, answer, status])).toEqual([
      ['t1', 'A', 'COMPLETED'],
      ['t2', 'B', 'COMPLETED'],
    ]);
  });

  it('uses the stream for a running turn and the history for its question', () => {
    const live = { ...createLiveTurn('t1', null), text: 'so far' };
    const [turn] = listTurns([message('1', 't1', 'user', 'a', 'RUNNING')], [live]);
    expect(turn).toMatchObject({ answer: 'so far', status: 'RUNNING', user: [{ type: 'text', text: 'a' }] });
  });

  it('attaches the question to a waiting turn until this page has read more of it', () => {
    const question = { interactionId: 'i1', turnId: 't1' } as Interaction;
    const messages = [message('1', 't1', 'user', 'a', 'INPUT_REQUIRED')];
    expect(listTurns(messages, [], [question])[0]?.interaction).toBe(question);
    expect(listTurns(messages, [createLiveTurn('t1', null)], [question])[0]?.interaction).toBeNull();
  });

  it('has the status of a turn that ended on this page', () => {
    const ended = { ...createLiveTurn('t1', []), state: 'ended' as const };
    const failure = { code: 'UNAVAILABLE', message: '', requestId: null };
    expect(listTurns([], [ended])[0]?.status).toBe('COMPLETED');
    expect(listTurns([], [{ ...ended, failure }])[0]?.status).toBe('FAILED');
  });
});
