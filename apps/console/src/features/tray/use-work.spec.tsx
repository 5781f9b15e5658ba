import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Job, Page, RunListing } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import { client, queryClient, setSession } from '../../api.ts';
import { startI18n } from '../../i18n.ts';
import { useWork } from './use-work.ts';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const AT = '2026-01-01T00:00:00.000Z';
const pageOf = <T,>(items: T[]): Page<T> => ({ items, nextCursor: null });
const job = (id: string, status: string) =>
  ({ id, agentId: 'a1', status, progress: 0, startedAt: null, createdAt: AT }) as Job;

// Twenty newer jobs have ended, and twenty newer runs are those of others.
const JOBS = [
  ...Array.from({ length: 20 }, (_, i) => job(`ended-${i}`, 'COMPLETED')),
  job('queued', 'QUEUED'),
  job('long', 'RUNNING'),
];
const RUNS = [...Array.from({ length: 20 }, (_, i) => `other-${i}`), 'own'].map(
  (id) => ({ id, taskName: id, ownerUserId: id === 'own' ? 'u1' : 'u2', createdAt: AT }) as RunListing,
);

beforeEach(async () => {
  await startI18n();
  setSession({
    accessToken: 'token',
    user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    space,
    spaces: [space],
  } as never);
  jest.spyOn(client.agents, 'list').mockResolvedValue(pageOf([]));
  jest.spyOn(client.events, 'bulkReplays').mockResolvedValue(pageOf([]));
  jest.spyOn(client.runs, 'bulkActions').mockResolvedValue(pageOf([]));
  jest.spyOn(client.knowledge, 'listDocuments').mockResolvedValue(pageOf([]));
  jest.spyOn(client.knowledge, 'listSources').mockResolvedValue(pageOf([]));
  jest.spyOn(client.knowledge, 'getSettings').mockResolvedValue({ embedding: null } as never);
  jest
    .spyOn(client.jobs, 'list')
    .mockImplementation((({ status, limit = 50 }: { status?: string; limit?: number } = {}) =>
      Promise.resolve(
        pageOf(JOBS.filter((one) => status === undefined || one.status === status).slice(0, limit)),
      )) as never);
  jest.spyOn(client.runs, 'list').mockImplementation((({
    ownerUserId,
    limit = 50,
  }: { ownerUserId?: string; limit?: number } = {}) => {
    const found = RUNS.filter((one) => ownerUserId === undefined || one.ownerUserId === ownerUserId);
    return Promise.resolve({
      items: found.slice(0, limit),
      nextCursor: found.length > limit ? 'more' : null,
    });
  }) as never);
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
});

it('shows what is active, however much newer has ended or belongs to others', async () => {
  const { result } = renderHook(() => useWork(), {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  });
  // The tray waits for a second, and then asks for its own runs after those of everybody.
  await waitFor(
    () => expect(result.current.map(({ key }) => key)).toEqual(['job queued', 'job long', 'run own']),
    { timeout: 20_000 },
  );
});
