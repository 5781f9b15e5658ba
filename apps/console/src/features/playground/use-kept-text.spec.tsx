import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook } from '@testing-library/react';
import { queryClient, setSession } from '../../api.ts';
import { useKeptText } from './use-kept-text.ts';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };

beforeEach(() => setSession({ accessToken: 'a', user: { id: 'u1' }, space, spaces: [space] } as never));
afterEach(() => {
  cleanup();
  act(() => setSession(null));
  sessionStorage.clear();
});

const show = (name: string, begun: string | null = null) =>
  renderHook((props) => useKeptText(props.name, props.begun), {
    initialProps: { name, begun },
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  });

it('moves to the conversation that begins, and is not in the next new one', () => {
  const { result, rerender } = show('a1.new.');
  result.current.keep('Half a thought');
  rerender({ name: 'a1.session', begun: null });
  expect(result.current.read()).toBe('Half a thought');
  expect(show('a1.session').result.current.initial).toBe('Half a thought');
  expect(show('a1.new.').result.current.initial).toBe('');
});

it('does not begin again with a text that was sent or deleted', () => {
  const first = show('a1.new.7', 'Sent before').result.current;
  expect([first.initial, first.wasKept]).toEqual(['Sent before', false]);
  first.keep('');
  const again = show('a1.new.7', 'Sent before').result.current;
  expect([again.initial, again.wasKept]).toEqual(['', true]);
});
