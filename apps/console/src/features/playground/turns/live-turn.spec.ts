import { describe, expect, it } from '@jest/globals';
import { AgentStreamError, PlatformError } from '@platform/client';
import type { Frame, Interaction } from '@platform/contracts';
import {
  KEPT_FRAMES,
  createLiveTurn,
  startNextSegment,
  createWaitingTurn,
  applyError,
  applyFrames,
} from './live-turn.ts';

function product(seq: number, event: string, fields: object = {}): Frame {
  const params = { namespace: [], timestamp: 1_000 + seq, data: { event, ...fields } };
  return { type: 'event', method: 'custom:platform', params, seq };
}

describe('applyFrames', () => {
  it('joins the deltas and keeps the cost', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cost: 0 };
    const turn = applyFrames(createLiveTurn('t1', null), [
      product(1, 'session-started', { model: 'm', requestId: 'r1' }),
      product(2, 'content-delta', { delta: 'Hel' }),
      product(3, 'content-delta', { delta: 'lo' }),
      product(4, 'response-completed', {
        token_usage: usage,
        execution_time: 0.5,
        finishReason: 'completed',
      }),
    ]);
    expect(turn).toMatchObject({ text: 'Hello', model: 'm', requestId: 'r1', lastSeq: 4 });
    expect(turn.completed?.token_usage).toEqual(usage);
  });

  it('collects what the model thinks aloud apart from its answer', () => {
    const thought = (seq: number, reasoning: string): Frame => ({
      type: 'event',
      method: 'messages',
      params: {
        namespace: [],
        timestamp: seq,
        data: { event: 'content-block-delta', index: 0, delta: { type: 'reasoning-delta', reasoning } },
      },
      seq,
    });
    const turn = applyFrames(createLiveTurn('t1', null), [
      thought(1, 'First '),
      thought(2, 'second'),
      product(3, 'content-delta', { delta: 'Done' }),
    ]);
    expect([turn.reasoning, turn.text]).toEqual(['First second', 'Done']);
    expect(startNextSegment(turn, null).reasoning).toBe('First second');
  });

  it('keeps one entry per tool call, with its latest status', () => {
    const call = { callId: 'c1', tool: 'weather', method: 'get', arguments: {} };
    const turn = applyFrames(createLiveTurn('t1', null), [
      product(1, 'tool-execution', { ...call, status: 'started' }),
      product(2, 'tool-execution', { ...call, status: 'succeeded', result: 21 }),
    ]);
    expect(turn.tools).toHaveLength(1);
    expect(turn.tools[0]).toMatchObject({ status: 'succeeded', result: 21 });
  });

  it('keeps concurrent calls in the order of their start', () => {
    const call = (callId: string, status: string) => ({
      callId,
      tool: 't',
      method: 'm',
      arguments: {},
      status,
    });
    const turn = applyFrames(createLiveTurn('t1', null), [
      product(1, 'tool-execution', call('c1', 'started')),
      product(2, 'tool-execution', call('c2', 'started')),
      product(3, 'tool-execution', call('c2', 'failed')),
      product(4, 'tool-execution', call('c1', 'succeeded')),
    ]);
    expect(turn.tools.map(({ callId, status }) => [callId, status])).toEqual([
      ['c1', 'succeeded'],
      ['c2', 'failed'],
    ]);
  });

  it('keeps the latest frames and counts the dropped ones', () => {
    const frames = Array.from({ length: KEPT_FRAMES + 5 }, (_, i) =>
      product(i + 1, 'content-delta', { delta: 'x' }),
    );
    const turn = applyFrames(createLiveTurn('t1', null), frames);
    expect(turn.frames).toHaveLength(KEPT_FRAMES);
    expect(turn.frames[0]?.seq).toBe(6);
    expect(turn.droppedFrames).toBe(5);
    expect(turn.text).toHaveLength(KEPT_FRAMES + 5);
  });

  it('keeps the failure of the stream', () => {
    const failure = { code: 'UNAVAILABLE', message: 'The model is away', requestId: 'r1' };
    const turn = applyFrames(createLiveTurn('t1', null), [
      product(1, 'error-occurred', { ...failure, retryable: true }),
    ]);
    expect(turn.failure).toEqual(failure);
  });
});

const question: Interaction = {
  interactionId: 'i1',
  turnId: 't1',
  sessionId: 's1',
  kind: 'single',
  question: 'Which?',
  options: [{ id: 'a', label: 'Green' }],
  allowOther: false,
  minSelected: 1,
  maxSelected: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
};

describe('startNextSegment', () => {
  it('keeps the output so far, and the question with its answer', () => {
    const asked = applyFrames(createLiveTurn('t1', []), [
      product(1, 'content-delta', { delta: 'Let me ask.' }),
      product(2, 'context-usage', { usedTokens: 5, remainingTokens: 95, maxTokens: 100, estimated: false }),
      product(3, 'agent-input-required', { interaction: question }),
      product(4, 'response-completed', { finishReason: 'input_required' }),
    ]);
    const resumed = applyFrames(startNextSegment({ ...asked, state: 'ended' }, ['Green']), [
      product(1, 'content-delta', { delta: 'Green it is.' }),
    ]);
    expect(resumed).toMatchObject({
      state: 'running',
      text: 'Let me ask.\n\nGreen it is.',
      interaction: null,
      answered: [{ interaction: question, answer: ['Green'] }],
      context: { usedTokens: 5 },
      completed: null,
      lastSeq: 1,
    });
    expect(resumed.frames).toHaveLength(1);
  });

  it('continues a turn from the history', () => {
    expect(startNextSegment(createWaitingTurn(question, ''), null)).toMatchObject({
      turnId: 't1',
      contents: null,
      text: '',
      answered: [{ interaction: question, answer: null }],
    });
  });
});

describe('applyError', () => {
  it('keeps the code and the request id of an error', () => {
    const refusal = new PlatformError({
      status: 409,
      code: 'CONFLICT',
      message: 'busy',
      requestId: 'r2',
      turnId: null,
      retryAfter: null,
    });
    expect(applyError(createLiveTurn('t1', null), refusal)).toMatchObject({
      state: 'ended',
      cutOff: false,
      failure: { code: 'CONFLICT', message: 'busy', requestId: 'r2' },
    });
  });

  it('marks a broken stream as cut off, because the turn may still be running', () => {
    const broken = new AgentStreamError('truncated', 'stopped', 7);
    expect(applyError(createLiveTurn('t1', null), broken)).toMatchObject({
      cutOff: true,
      failure: { code: 'truncated' },
    });
  });
});
