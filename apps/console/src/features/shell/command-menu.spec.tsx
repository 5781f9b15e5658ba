import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient, setSession } from '../../api.ts';
import { loadTraceTexts } from '../../i18n.ts';
import { CommandMenu } from './command-menu.tsx';

const space = { id: 's1', name: 'Space', role: 'MEMBER' as const };
const none = { items: [], nextCursor: null };

beforeEach(() => {
  const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  setSession({ accessToken: 'token', user, space, spaces: [space] } as never);
  // jsdom lacks it, and what scrolls.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = () => undefined;
  Element.prototype.scrollIntoView = () => undefined;
  for (const list of [client.agents, client.turns, client.savedViews])
    jest.spyOn(list, 'list').mockResolvedValue(none);
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  Reflect.deleteProperty(HTMLDialogElement.prototype, 'showModal');
  Reflect.deleteProperty(HTMLDialogElement.prototype, 'close');
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
  setSession(null);
});

it('says that nothing was found only once the service has said so', async () => {
  const found = Promise.withResolvers<never>();
  const search = jest.spyOn(client, 'search').mockReturnValue(found.promise as never);
  await loadTraceTexts();
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <CommandMenu onClose={() => undefined} onHelp={() => undefined} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  const type = (value: string) => fireEvent.change(screen.getByRole('combobox'), { target: { value } });
  type('order-4711');
  await waitFor(() => expect(search).toHaveBeenCalled());
  screen.getByText('0 results');
  expect(screen.queryByText('Nothing found for', { exact: false })).toBeNull();
  await act(async () => found.reject(new PlatformConnectionError('lost')));
  expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached');
  expect(screen.queryByText('Nothing found for', { exact: false })).toBeNull();
  search.mockResolvedValue(none);
  type('order-4712');
  await screen.findByText('Nothing found for “order-4712”');
  expect(screen.queryByRole('alert')).toBeNull();
});
