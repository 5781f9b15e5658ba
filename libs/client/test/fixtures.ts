import type { Frame, FrameMethod } from '@platform/contracts';

/** Creates a product event frame as the service sends it. */
export function frame(seq: number, event: string, fields: object = {}): Frame {
  return frameOf('custom:platform', seq, { event, ...fields });
}

export function frameOf(method: FrameMethod, seq: number, data: unknown): Frame {
  return { type: 'event', method, params: { namespace: [], timestamp: 1_760_000_000_000 + seq, data }, seq };
}

/** Formats frames as server-sent events. */
export function sse(frames: Frame | readonly Frame[], segment = 1): string {
  return [frames]
    .flat()
    .map((each) => `id: ${segment}.${each.seq}\ndata: ${JSON.stringify(each)}\n\n`)
    .join('');
}

export const TURN_ID = '0199a1b2-0000-4000-8000-000000000001';

const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12, cost: 0 };

/** Returns the frames of a complete turn with the given words. */
export function turnFrames(words: readonly string[]): Frame[] {
  const frames = [
    frame(1, 'session-started', {
      sessionId: 's-1',
      turnId: TURN_ID,
      segment: 1,
      agentId: 'a-1',
      model: 'platform/offline',
      requestId: 'req-1',
      resumed: false,
    }),
    frameOf('lifecycle', 2, { event: 'started' }),
    ...words.map((delta, i) => frame(i + 3, 'content-delta', { delta })),
  ];
  const next = frames.length + 1;
  frames.push(
    frame(next, 'response-completed', {
      session_id: 's-1',
      turnId: TURN_ID,
      messageId: 'm-1',
      tokens_used: 12,
      execution_time: 0.25,
      token_usage: usage,
      finishReason: 'completed',
    }),
    frame(next + 1, 'stream-ended', { lastSeq: next + 1 }),
  );
  return frames;
}

/** Returns the frames of a turn that fails after its first words. */
export function failedTurnFrames(): Frame[] {
  return [
    ...turnFrames(['half an ']).slice(0, 3),
    frame(4, 'error-occurred', {
      code: 'UNAVAILABLE',
      message: 'The model did not answer',
      turnId: TURN_ID,
      requestId: 'req-1',
      retryable: true,
    }),
    frame(5, 'stream-ended', { lastSeq: 5 }),
  ];
}
