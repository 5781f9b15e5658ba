import { expect, it, jest } from '@jest/globals';
import { ApiPromise, PagePromise } from '@platform/client';
import type { KnowledgePage, KnowledgeSource, Page } from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys } from '../../api.ts';
import { SourceDrawer } from './source-drawer.tsx';
import { SourcesCard } from './sources-card.tsx';

const source: KnowledgeSource = {
  id: 's1',
  spaceId: 'space',
  kind: 'sitemap',
  url: 'https://docs.example.com/sitemap.xml',
  everyHours: 48,
  enabled: true,
  status: 'FAILED',
  error: 'The sitemap could not be read. The server returned status 403.',
  pages: { waiting: 1, fetched: 2, unchanged: 3, failed: 1, skipped: 2 },
  documents: 5,
  leftOut: 7,
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:01:00.000Z',
  nextFetchAt: '2999-01-03T00:00:00.000Z',
  createdBy: 'u1',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const page: KnowledgePage = {
  id: 'p1',
  url: 'https://docs.example.com/a',
  isSitemap: false,
  status: 'SKIPPED',
  reason: 'The robots.txt of the host does not allow it.',
  documentId: 'd1',
  documentStatus: 'READY',
  fetchedAt: null,
};

const resultOf = <T,>(data: T) => Promise.resolve({ data, response: new Response(), requestId: null });
const toResult = <T,>(data: T) => new ApiPromise(resultOf(data));
const toPage = <T,>(data: Page<T>) => new PagePromise<T>(resultOf(data), () => Promise.resolve(data));

async function show(element: ReactNode): Promise<void> {
  const queries = new QueryClient();
  queries.setQueryData(keys.session, { user: {}, space: { id: 'space', name: 'Shop', role: 'ADMIN' } });
  await renderInApp(
    <QueryClientProvider client={queries}>
      <RouterProvider router={createMemoryRouter([{ path: '/', element }])} />
    </QueryClientProvider>,
  );
}

it('lists sources with their progress, their schedule, and why a fetch was not complete', async () => {
  jest
    .spyOn(client.knowledge, 'listSources')
    .mockImplementation(() => toPage({ items: [source], nextCursor: null }));
  await show(<SourcesCard />);
  const row = within(await screen.findByRole('row', { name: /docs\.example\.com/ }));
  row.getByText('8 of 9');
  row.getByText('1 failed');
  row.getByText('2 skipped');
  row.getByText('Every 2 days');
  row.getByText('Incomplete');
  row.getByText(source.error ?? '');
});

it('says what came of each page, and links its document', async () => {
  jest.spyOn(client.knowledge, 'getSource').mockImplementation(() => toResult(source));
  jest
    .spyOn(client.knowledge, 'listSourcePages')
    .mockImplementation(() => toPage({ items: [page], nextCursor: null }));
  await show(<SourceDrawer sourceId="s1" onClose={() => undefined} />);
  const link = await screen.findByRole('link', { name: page.url });
  expect(link.getAttribute('href')).toBe('/knowledge?document=d1');
  screen.getByText('The robots.txt of the host does not allow it.');
  screen.getByText(/^7 more addresses/);
});
