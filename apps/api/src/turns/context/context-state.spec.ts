import {
  contextTokens,
  EMPTY_CONTEXT,
  isAfter,
  lastPosition,
  messageCount,
  usedTokens,
  withTurn,
  type Context,
  type ContextStep,
} from './context-state.ts';
import type { Step } from '../records/steps.ts';

const user = (turn: number, n: number, tokens = 10): ContextStep & { id: string } => ({
  id: `${turn}.${n}`,
  kind: 'user',
  content: { parts: [] },
  turn,
  n,
  tokens,
});
const model = (turn: number, n: number, known?: number, estimated = false): ContextStep => ({
  kind: 'model',
  content: {
    text: 'x',
    toolCalls: [],
    ...(known !== undefined && { context: { tokens: known, estimated } }),
  },
  turn,
  n,
  tokens: 10,
});
const contextOf = (steps: ContextStep[], more: Partial<Context> = {}): Context => ({
  ...EMPTY_CONTEXT,
  steps,
  ...more,
});

describe('usedTokens', () => {
  it("takes the provider's last figure as it is", () => {
    const steps = [user(1, 1), model(1, 2, 50), user(2, 1), model(2, 2, 90)];
    expect(usedTokens(contextOf(steps), 7)).toEqual({ tokens: 90, estimated: false });
  });

  it('adds what came since', () => {
    const steps = [user(1, 1), model(1, 2, 50), user(2, 1), user(3, 1, 4)];
    expect(usedTokens(contextOf(steps), 7)).toEqual({ tokens: 64, estimated: true });
  });

  it('passes on that a figure was counted here', () => {
    expect(usedTokens(contextOf([user(1, 1), model(1, 2, 50, true)]), 7)).toEqual({
      tokens: 50,
      estimated: true,
    });
  });

  it('counts everything itself where no provider told', () => {
    expect(usedTokens(contextOf([user(1, 1), model(1, 2)]), 7)).toEqual({ tokens: 27, estimated: true });
  });

  it('goes from the last change of the summary, not from figures before it', () => {
    const baseline = { turn: 2, n: 2, tokens: 33 };
    const steps = [user(1, 1), model(1, 2, 50), user(2, 1), model(2, 2, 90), user(3, 1)];
    expect(usedTokens(contextOf(steps, { baseline }), 7)).toEqual({ tokens: 43, estimated: true });
    expect(usedTokens(contextOf([...steps, model(3, 2, 60)], { baseline }), 7)).toEqual({
      tokens: 60,
      estimated: false,
    });
  });
});

describe('withTurn', () => {
  const summary = { id: 's', text: 's', tokens: 5, mark: { turn: 2, n: 3 } };
  const own: Step[] = [user(0, 1), { ...model(0, 2), id: 'm' }, { ...model(0, 4), id: 'l' }];
  const places = ({ steps }: Context) => steps.map(({ turn, n }) => [turn, n]);

  it('puts the steps of the turn behind the others', () => {
    expect(places(withTurn(contextOf([user(1, 1)]), { n: 2, steps: own }))).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
      [2, 4],
    ]);
  });

  it('leaves out what the summary covers, but not what the user just asked', () => {
    const context = contextOf([user(1, 1), model(1, 2)], { summary });
    expect(places(withTurn(context, { n: 2, steps: own }))).toEqual([
      [2, 1],
      [2, 4],
    ]);
    expect(places(withTurn(context, { n: 3, steps: own }))).toEqual([
      [3, 1],
      [3, 2],
      [3, 4],
    ]);
  });
});

it('orders places by turn, then by step', () => {
  expect(isAfter({ turn: 2, n: 1 }, { turn: 1, n: 9 })).toBe(true);
  expect(isAfter({ turn: 1, n: 2 }, { turn: 1, n: 2 })).toBe(false);
  expect(lastPosition([user(1, 1), user(2, 5), user(2, 4)])).toEqual({ turn: 2, n: 5 });
  expect(lastPosition([])).toBeNull();
});

it('leaves reasoning out of the context', () => {
  const usage = { promptTokens: 100, completionTokens: 50, cachedTokens: 90, reasoningTokens: 30 };
  expect(contextTokens(usage)).toBe(120);
});

it('counts messages, not the starts of calls', () => {
  expect(messageCount([user(1, 1), model(1, 2), { kind: 'tool-call', content: { callId: 'a' } }])).toBe(2);
});
