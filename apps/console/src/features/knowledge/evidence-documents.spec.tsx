import { expect, it } from '@jest/globals';
import type { EvidenceDocument } from '@platform/contracts';
import { screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { EvidenceDocuments, toWebAddress } from './evidence-documents.tsx';

const found = (change: Partial<EvidenceDocument>): EvidenceDocument => ({
  id: 'd1',
  title: 'Returns',
  snippet: 'Within 30 days.',
  score: 0.5,
  source: 'knowledge',
  ...change,
});

async function show(documents: EvidenceDocument[], notice?: string): Promise<void> {
  const evidence = { query: 'q', documents, retrievalMs: 12, ...(notice !== undefined && { notice }) };
  const element = <EvidenceDocuments evidence={evidence} />;
  await renderInApp(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />);
}

it('links documents of the space and web pages, and shows what they say as text', async () => {
  const url = 'https://example.com/returns';
  const script = 'javascript:alert(1)';
  await show([
    found({ snippet: '<img src=x onerror=alert(1)>' }),
    found({ title: 'Page', source: 'web', url }),
    found({ title: 'Trap', source: 'web', url: script }),
  ]);
  expect(screen.getByRole('link', { name: 'Returns' }).getAttribute('href')).toBe('/knowledge?document=d1');
  expect(screen.getByRole('link', { name: 'Page' }).getAttribute('href')).toBe(url);
  expect(screen.getAllByRole('link')).toHaveLength(2);
  screen.getByText('Trap');
  screen.getByText('<img src=x onerror=alert(1)>');
  expect(document.querySelector('img')).toBeNull();
});

it('tells why nothing was searched, or that nothing was found', async () => {
  await show([], 'The internet could not be searched');
  screen.getByText('The internet could not be searched');
  expect(screen.queryByText('Nothing was found.')).toBeNull();
  await show([]);
  screen.getByText('Nothing was found.');
});

it('says that passages are only the closest', async () => {
  const evidence = { query: 'q', documents: [found({})], retrievalMs: 1, closest: true };
  const element = <EvidenceDocuments evidence={evidence} />;
  await renderInApp(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />);
  screen.getByText('Nothing matches the words of the question. These passages are only the closest.');
});

it.each([
  ['https://example.com', 'https://example.com/'],
  ['ftp://example.com', null],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['no address', null],
  [undefined, null],
])('takes %s for the web address %s', (url, address) => {
  expect(toWebAddress(url)).toBe(address);
});
