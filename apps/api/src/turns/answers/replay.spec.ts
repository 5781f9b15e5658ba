import { decodeProductEvents } from '../../streams/frame.ts';
import type { TurnRow } from '../records/turn.ts';
import { buildReplay } from './replay.ts';

const ended = {
  turnId: 't',
  agentId: 'a',
  sessionName: 's',
  model: 'm',
  createdAt: new Date(0),
  finishedAt: new Date(1_000),
  promptTokens: 1,
  completionTokens: 1,
  cost: 0,
  estimated: false,
  executionMs: 5,
} as TurnRow;
const partial = { id: 'p', n: 2, tokens: 1, kind: 'partial' as const, content: { text: 'One' } };
const history = { segment: 1, steps: [partial], searches: [], completed: null, interaction: null };

const replayed = (turn: Partial<TurnRow>) => [
  ...decodeProductEvents(buildReplay({ ...ended, ...turn }, history)),
];

describe('a segment whose frames are gone', () => {
  it('ends as it did', () => {
    expect(replayed({ status: 'COMPLETED', error: null }).map(({ event }) => event)).toEqual([
      'session.started',
      'content.delta',
      'response.completed',
      'stream.ended',
    ]);
    const error = { code: 'UNAVAILABLE', message: 'The model is gone', retryable: true, detail: 'secret' };
    const failed = replayed({ status: 'FAILED', error });
    expect(failed[2]).toEqual({
      event: 'error.occurred',
      code: 'UNAVAILABLE',
      message: 'The model is gone',
      turnId: 't',
      requestId: null,
      retryable: true,
    });
    expect(failed).toHaveLength(4);
  });
});
