import { expect, it, jest } from '@jest/globals';
import { ApiPromise } from '@platform/client';
import type { Tool, ToolImport, ToolOffer } from '@platform/contracts';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client, keys } from '../../../api.ts';
import { refresh } from '../../changes/refresh.ts';
import { McpImport } from './mcp-import.tsx';

const tool = {
  id: 'T-1',
  name: 'parcels',
  serverUrl: 'https://parcels.example.com/mcp',
  methods: [{ name: 'send' }],
  updatedAt: '2026-01-01T00:00:00.000Z',
} as Tool;
const offers = ['track', 'cancel'].map((name): ToolOffer => ({
  tool: name,
  name,
  status: 'new',
  description: '',
  inputSchema: { type: 'object' },
  acts: true,
  hash: name,
  changes: [],
  edits: [],
  reasons: [],
}));
const found: ToolImport = {
  server: { name: 'Parcels', version: '1', protocolVersion: null },
  offers,
  report: [],
  tool,
};

const answer = <T,>(data: T) =>
  new ApiPromise(Promise.resolve({ data, response: new Response(), requestId: null }));

/** As the page of a tool does, which is above. */
function Import() {
  const { data } = useQuery({ queryKey: keys.tool(tool.id), queryFn: () => client.tools.get(tool.id) });
  return data === undefined ? null : <McpImport tool={data} />;
}

it('keeps what was chosen while the tool is read again, until somebody compares again', async () => {
  const read = jest.spyOn(client.tools, 'get').mockImplementation(() => answer(tool));
  const compare = jest
    .spyOn(client.tools, 'importMcp')
    .mockImplementation((_id, request) =>
      request === undefined ? answer(found) : new ApiPromise(Promise.reject(new Error('It has changed'))),
    );
  const queries = new QueryClient();
  const user = await renderInApp(
    <QueryClientProvider client={queries}>
      <RouterProvider router={createMemoryRouter([{ path: '/', element: <Import /> }])} />
    </QueryClientProvider>,
  );
  await user.click(await screen.findByRole('button', { name: 'Choose all 2 shown' }));
  screen.getByRole('button', { name: 'Apply 2 changes' });

  // A stream of changes that was interrupted reads everything again.
  await act(() => refresh(queries, [{ kind: 'reset' }]));
  await act(() => refresh(queries, [{ kind: 'tool', id: tool.id, status: null }]));
  await waitFor(() => expect(read).toHaveBeenCalledTimes(3));
  expect(compare).toHaveBeenCalledTimes(1);

  await user.click(screen.getByRole('button', { name: 'Apply 2 changes' }));
  await screen.findByText('It has changed');
  await user.click(screen.getByRole('button', { name: 'Compare again' }));
  await screen.findByRole('button', { name: 'Apply 0 changes' });
  expect(compare).toHaveBeenCalledTimes(3);
});
