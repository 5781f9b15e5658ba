import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient, setSession } from '../../api.ts';
import { loadSpaceTexts } from '../../i18n.ts';
import { Component as ModelsPage } from './models-page.tsx';

const space = { id: 's1', name: 'Space', role: 'MEMBER' as const };
const modelOf = (name: string, price: number | null) => ({
  id: name,
  name,
  kind: 'chat',
  contextWindow: 1_000,
  baseUrl: null,
  apiKeyConfigured: true,
  price: { inputPerMillion: price, outputPerMillion: price, cachedInputPerMillion: null },
});

beforeEach(() => {
  setSession({
    accessToken: 'token',
    user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    space,
    spaces: [space],
  } as never);
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
});

it('does not call a model free because nobody has set its price', async () => {
  const items = [modelOf('unpriced', null), modelOf('zero', 0), modelOf('priced', 2)];
  jest.spyOn(client.models, 'list').mockResolvedValue({ items, nextCursor: null } as never);
  await loadSpaceTexts();
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={createMemoryRouter([{ path: '/', element: <ModelsPage /> }])} />
    </QueryClientProvider>,
  );
  await screen.findByText('unpriced');
  const prices = screen.getAllByRole('row').map((row) => row.querySelectorAll('td')[2]?.textContent);
  expect(prices.slice(1)).toEqual(['No price set', '$0.00 in, $0.00 out', '$2.00 in, $2.00 out']);
});
