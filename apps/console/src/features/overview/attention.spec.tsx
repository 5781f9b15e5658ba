import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, queryClient, setSession } from '../../api.ts';
import { Attention } from './attention.tsx';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const NONE = { items: [], nextCursor: null };
const RUN = {
  id: 'r1',
  taskName: 'Weigh',
  createdAt: '2026-01-01T00:00:00.000Z',
  error: { code: 'TIMEOUT', message: 'took too long' },
};

let runs: jest.SpiedFunction<typeof client.runs.list>;

beforeEach(() => {
  setSession({
    accessToken: 'token',
    user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    space,
    spaces: [space],
  } as never);
  jest.spyOn(client.agents, 'list').mockResolvedValue(NONE);
  jest.spyOn(client.turns, 'list').mockResolvedValue(NONE);
  runs = jest.spyOn(client.runs, 'list').mockResolvedValue({ items: [RUN], nextCursor: null } as never);
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
});

const show = () =>
  renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <Attention />
      </MemoryRouter>
    </QueryClientProvider>,
  );

it('shows failed runs that nobody has dismissed', async () => {
  await show();
  await screen.findByRole('link', { name: 'Weigh' });
  expect(runs).toHaveBeenCalledWith({ status: 'FAILED', dismissed: 'false', limit: 5 });
});

it('says that failures could not be loaded, and tries again', async () => {
  const away = { status: 503, code: 'SERVICE_UNAVAILABLE', message: 'Try later' } as const;
  runs.mockRejectedValueOnce(new PlatformError({ ...away, requestId: null, turnId: null, retryAfter: null }));
  const user = await show();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('Try later');
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByRole('link', { name: 'Weigh' });
  expect(screen.queryByRole('alert')).toBeNull();
});

it('takes no room if there is nothing to do', async () => {
  runs.mockResolvedValue(NONE);
  await show();
  await waitFor(() => expect(runs).toHaveBeenCalled());
  expect(screen.queryByRole('region')).toBeNull();
});
