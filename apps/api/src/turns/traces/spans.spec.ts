import { describe, expect, it } from '@jest/globals';
import { buildSpans, type TracedStep, type TracedTurn } from './spans.ts';

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
const CALL = { id: 'c1', name: 'crm_find', arguments: '{"q":"Ada"}' };
const USAGE = {
  promptTokens: 9,
  completionTokens: 2,
  cachedTokens: 4,
  reasoningTokens: 1,
  cost: 0.5,
  estimated: false,
};

function turnOf(changes: Partial<TracedTurn>): TracedTurn {
  return {
    status: 'COMPLETED',
    model: 'm',
    error: null,
    createdAt: at(0),
    startedAt: at(0),
    finishedAt: at(1_000),
    segmentAt: at(0),
    steps: [],
    questions: [],
    ...changes,
  };
}

const step = (n: number, ms: number, content: object, measures: TracedStep['measures'] = null) =>
  ({ n, createdAt: at(ms), measures, ...content }) as TracedStep;

const user = step(1, 0, { kind: 'user', content: { parts: [{ type: 'text', text: 'Hi' }] } });
const asks = (ms: number) =>
  step(2, ms, { kind: 'model', content: { text: '', toolCalls: [CALL] } }, { durationMs: 90, usage: USAGE });

const summary = (turn: TracedTurn) =>
  buildSpans(turn).map(({ kind, status, startedAt, durationMs }) => [
    kind,
    status,
    Date.parse(startedAt) - at(0).getTime(),
    durationMs,
  ]);

describe('buildSpans', () => {
  it('shows model calls and tool calls with their times', () => {
    const spans = buildSpans(
      turnOf({
        steps: [
          user,
          asks(100),
          step(3, 110, { kind: 'tool-call', content: { callId: 'c1' } }),
          step(
            4,
            310,
            { kind: 'tool-result', content: { callId: 'c1', text: '{"name":"Ada"}' } },
            { durationMs: 195, tool: { kind: 'http', tool: 'crm', method: 'find' }, outcome: 'succeeded' },
          ),
          step(
            5,
            900,
            { kind: 'model', content: { text: 'Ada.', toolCalls: [] } },
            { durationMs: 500, firstTokenMs: 40 },
          ),
        ],
      }),
    );
    expect(spans).toEqual([
      {
        id: 'step-2',
        kind: 'model',
        name: 'm',
        status: 'succeeded',
        startedAt: at(10).toISOString(),
        durationMs: 90,
        token_usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, cost: 0.5 },
        cachedTokens: 4,
        reasoningTokens: 1,
        output: { text: '', toolCalls: [{ name: 'crm_find', arguments: '{"q":"Ada"}' }] },
      },
      {
        id: 'step-4',
        kind: 'tool',
        name: 'crm.find',
        status: 'succeeded',
        startedAt: at(115).toISOString(),
        durationMs: 195,
        input: '{"q":"Ada"}',
        output: '{"name":"Ada"}',
      },
      expect.objectContaining({ id: 'step-5', firstTokenMs: 40, durationMs: 500, output: { text: 'Ada.' } }),
    ]);
  });

  it('shows each search with what it found', () => {
    const found = { id: 'd1', title: 'Returns', score: 0.5, source: 'knowledge' as const };
    const searches = [
      { query: 'Hi', documents: [{ ...found, heading: 'Rules', text: 'Within 30 days.' }], retrievalMs: 30 },
      { query: 'Hi', documents: [], retrievalMs: 40, notice: 'The internet could not be searched' },
    ];
    const evidence = step(2, 50, { kind: 'evidence', content: { searches } }, { durationMs: 40 });
    const model = step(
      3,
      100,
      { kind: 'model', content: { text: 'Yes.', toolCalls: [] } },
      { durationMs: 45 },
    );
    const turn = turnOf({ steps: [user, evidence, model] });
    expect(summary(turn)).toEqual([
      ['search', 'succeeded', 10, 30],
      ['search', 'succeeded', 10, 40],
      ['model', 'succeeded', 55, 45],
    ]);
    expect(buildSpans(turn)[0]).toMatchObject({
      id: 'step-2-0',
      name: 'Hi',
      output: { query: 'Hi', documents: [{ ...found, snippet: 'Within 30 days.' }], retrievalMs: 30 },
    });
  });

  it('derives the times of steps of earlier versions from their order', () => {
    const steps = [
      user,
      step(2, 100, { kind: 'model', content: { text: '', toolCalls: [CALL] } }),
      step(3, 120, { kind: 'tool-call', content: { callId: 'c1' } }),
      step(4, 300, { kind: 'tool-result', content: { callId: 'c1', text: 'x' } }),
    ];
    expect(summary(turnOf({ steps }))).toEqual([
      ['model', 'succeeded', 0, 100],
      ['tool', 'succeeded', 120, 180],
    ]);
  });

  it('shows the time in the queue, and what runs now without an end', () => {
    expect(summary(turnOf({ status: 'QUEUED', startedAt: null, finishedAt: null, segmentAt: null }))).toEqual(
      [['queue', 'waiting', 0, null]],
    );
    const started = { status: 'RUNNING', startedAt: at(400), finishedAt: null, segmentAt: at(400) } as const;
    expect(summary(turnOf({ ...started, steps: [user] }))).toEqual([
      ['queue', 'succeeded', 0, 400],
      ['model', 'running', 400, null],
    ]);
    const calling = [user, asks(600), step(3, 610, { kind: 'tool-call', content: { callId: 'c1' } })];
    expect(summary(turnOf({ ...started, steps: calling })).at(-1)).toEqual(['tool', 'running', 610, null]);
  });

  it('shows a call of the model that failed before its first text', () => {
    const error = { code: 'UNAVAILABLE', message: 'No model' };
    const failed = turnOf({ status: 'FAILED', error, steps: [user] });
    expect(summary(failed)).toEqual([['model', 'failed', 0, 1_000]]);
    expect(buildSpans(failed)[0]?.error).toEqual(error);
    const rerun = turnOf({ status: 'FAILED', error, steps: [user], segmentAt: at(700) });
    expect(summary(rerun)).toEqual([['model', 'failed', 700, 300]]);
  });

  it('shows a question with its options and its answer instead of its tool call', () => {
    const question = {
      kind: 'single' as const,
      question: 'Which?',
      options: [
        { id: 'a', label: 'Red' },
        { id: 'b', label: 'Blue' },
      ],
      allowOther: true,
      minSelected: 1,
      maxSelected: 1,
    };
    const asked = { callId: 'c1', question, createdAt: at(120), endedAt: at(520) };
    const answer = { selectedOptionIds: ['b'], otherText: null };
    const steps = [
      user,
      asks(100),
      step(3, 520, { kind: 'tool-result', content: { callId: 'c1', text: 'Blue' } }),
    ];
    const answered = turnOf({ steps, questions: [{ ...asked, status: 'ANSWERED', answer }] });
    expect(summary(answered).slice(1)).toEqual([['question', 'succeeded', 120, 400]]);
    expect(buildSpans(answered)[1]).toMatchObject({
      name: 'Which?',
      input: { options: ['Red', 'Blue'] },
      output: { selected: ['Blue'] },
    });
    const waiting = turnOf({
      status: 'INPUT_REQUIRED',
      steps: steps.slice(0, 2),
      questions: [{ ...asked, endedAt: null, status: 'PENDING', answer: null }],
    });
    expect(summary(waiting).at(-1)).toEqual(['question', 'waiting', 120, null]);
  });

  it('shortens long texts, and says so', () => {
    const text = 'ä'.repeat(100_000);
    const [span] = buildSpans(
      turnOf({ steps: [user, step(2, 10, { kind: 'model', content: { text, toolCalls: [] } })] }),
    );
    expect(span?.truncated).toBe(true);
    expect(Buffer.byteLength((span?.output as { text: string }).text)).toBeLessThanOrEqual(64 * 1024);
  });
});
