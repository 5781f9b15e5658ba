import { afterEach, expect, it, jest } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client, keys, queryClient, setSession } from '../../../api.ts';
import { Component as ComparePage } from './compare-page.tsx';

const AGENT = { id: 'a', name: 'Order desk', accessible: true, model: 'platform/offline', systemPrompt: '' };

afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
});

it('leaves the conversations, and what is written, when its agents cannot be loaded again', async () => {
  const space = { id: 's1', name: 'Space', role: 'ADMIN' };
  const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  setSession({ accessToken: 'token', user, space, spaces: [space] } as never);
  const list = jest.spyOn(client.agents, 'list');
  list.mockResolvedValue({ items: [AGENT], nextCursor: null } as never);
  jest.spyOn(client.models, 'list').mockResolvedValue({ items: [], nextCursor: null });
  const router = createMemoryRouter([{ path: '/agents/:agentId/compare', element: <ComparePage /> }], {
    initialEntries: ['/agents/a/compare'],
  });
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  const input = await screen.findByLabelText<HTMLTextAreaElement>('Message');
  fireEvent.change(input, { target: { value: 'Which of you is better?' } });
  list.mockRejectedValue(new Error('The service is busy'));
  await act(() => queryClient.invalidateQueries({ queryKey: keys.agents }));
  await waitFor(() =>
    expect(queryClient.getQueryState([...keys.agents, 'compared', 'a', 'a'])?.status).toBe('error'),
  );
  expect(screen.getByLabelText('Message')).toBe(input);
  expect(input.value).toBe('Which of you is better?');
});
