import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { cleanup, screen } from '@testing-library/react';
import { renderInApp } from '../../../../test/render.tsx';
import { TurnFigures } from './turn-figures.tsx';
import type { TurnView } from './turn-list.ts';

beforeEach(() => {
  globalThis.IntersectionObserver = jest.fn(() => ({
    observe: () => undefined,
    disconnect: () => undefined,
  })) as never;
});
afterEach(() => {
  cleanup();
  delete (globalThis as { IntersectionObserver?: unknown }).IntersectionObserver;
});

it.each([
  [0, 'cost unknown'],
  [0.25, 'cost $0.25'],
])('shows a cost of %d as "%s": zero may mean that the model has no price', async (cost, text) => {
  const usage = { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1, cost, estimated: false };
  const live = { model: 'm', completed: { token_usage: usage, execution_time: 2 }, firstTextAt: null };
  await renderInApp(<TurnFigures agentId="a1" turn={{ turnId: 't1', live } as unknown as TurnView} />);
  expect(screen.getByText(/tokens/).textContent).toContain(`3 tokens (2 in, 1 out) · ${text} ·`);
});
