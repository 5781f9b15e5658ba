import { describe, expect, it } from '@jest/globals';
import type { TraceSpan } from '@platform/contracts';
import { toExecutions } from './stored-executions.ts';

const span = (kind: TraceSpan['kind'], more: Partial<TraceSpan>): TraceSpan => ({
  id: 'step-1',
  kind,
  name: 'm',
  status: 'succeeded',
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 5,
  ...more,
});

describe('toExecutions', () => {
  it('takes the searches and the tool calls of a trace', () => {
    const evidence = { query: 'Hi', documents: [], retrievalMs: 3 };
    const { evidence: searches, tools } = toExecutions([
      span('search', { output: evidence }),
      span('model', { output: { text: 'Hello' } }),
      span('tool', { name: 'crm.v2.find', input: '{"q":"Ada"}', output: '{"name":"Ada"}' }),
      span('tool', {
        name: 'shout',
        status: 'failed',
        input: '{',
        output: 'x',
        error: { code: 'E', message: 'No' },
      }),
      span('tool', { name: 'a.b', status: 'cancelled', durationMs: null }),
    ]);
    expect(searches).toEqual([evidence]);
    expect(tools).toMatchObject([
      {
        tool: 'crm.v2',
        method: 'find',
        status: 'succeeded',
        arguments: { q: 'Ada' },
        result: { name: 'Ada' },
      },
      { tool: 'shout', method: 'shout', status: 'failed', arguments: {}, error: { message: 'No' } },
      { tool: 'a', method: 'b', status: 'started' },
    ]);
    expect(tools[1]).not.toHaveProperty('result');
    expect(tools[2]).not.toHaveProperty('durationMs');
  });
});
