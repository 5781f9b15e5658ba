import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Tool } from '@platform/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client, keys } from '../../../api.ts';
import { hasUnsavedInput } from '../../../ui/browser/unsaved-input.ts';
import type { DocumentOverview, WorkerRequest, WorkerResponse } from '../document/import-protocol.ts';
import { Component as ImportPage } from './import-page.tsx';

const report = { fidelity: 'exact', reasons: [], bodyMediaTypes: [], promptTokens: 10 };
const operation = {
  operationKey: 'get /pets',
  name: 'listPets',
  httpMethod: 'get',
  path: '/pets',
  summary: '',
};
const overview = {
  kind: 'openapi3',
  title: 'Pets',
  version: '1',
  servers: [{ url: 'https://pets.example.com', description: '' }],
  operations: [{ ...operation, tags: [], report }],
  skipped: [],
  auth: null,
  notes: [],
} as unknown as DocumentOverview;

/** Reads every document at once, as the same one. */
class ReadingWorker {
  onmessage: ((event: { data: WorkerResponse }) => void) | null = null;
  postMessage({ type }: WorkerRequest) {
    const data: WorkerResponse =
      type === 'read' ? { type: 'document', document: overview } : { type: 'methods', methods: [] };
    this.onmessage?.({ data });
  }
  terminate() {
    this.onmessage = null;
  }
}

const { Worker: original } = globalThis;
beforeEach(() => {
  globalThis.Worker = ReadingWorker as unknown as typeof Worker;
});
afterEach(() => {
  cleanup();
  globalThis.Worker = original;
});

async function open() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(keys.session, { user: { id: 'u' }, space: { id: 's', name: 'S', role: 'ADMIN' } });
  const router = createMemoryRouter([
    { path: '/', element: <ImportPage /> },
    { path: '*', element: <p>Another page</p> },
  ]);
  return renderInApp(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

const choose = (way: string) => fireEvent.click(screen.getByText(way));
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const enter = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const TEXT = 'Document as JSON or YAML';

async function read() {
  const user = await open();
  choose('Text');
  enter(TEXT, 'openapi: 3.1.0');
  await user.click(screen.getByRole('button', { name: 'Read document' }));
  await screen.findByLabelText('Name');
  return user;
}

it('asks before the chosen methods are lost', async () => {
  const user = await read();
  expect(hasUnsavedInput()).toBe(false);
  await user.click(screen.getByRole('button', { name: 'Clear choice' }));
  expect(hasUnsavedInput()).toBe(true);
});

it('asks before the entered tool is lost, until it is saved', async () => {
  const tool = { id: 't', name: 'My pets', methods: [], methodCount: 1 } as unknown as Tool;
  const create = jest.spyOn(client.tools, 'create').mockResolvedValue(tool);
  const user = await read();
  enter('Name', 'My pets');
  expect(hasUnsavedInput()).toBe(true);
  await user.click(screen.getByRole('button', { name: /^Import/ }));
  await screen.findByText('Another page');
  expect(create).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(hasUnsavedInput()).toBe(false));
});

it('keeps what was entered for each way to give a document', async () => {
  await open();
  choose('Text');
  enter(TEXT, 'openapi: 3.1.0');
  choose('URL');
  enter('Document URL', 'https://pets.example.com/openapi.json');
  enter('Header name', 'X-Key');
  enter('Header value', 'secret');
  choose('cURL');
  enter('curl command', 'curl https://pets.example.com');
  choose('Text');
  expect(field(TEXT).value).toBe('openapi: 3.1.0');
  choose('URL');
  expect(['Document URL', 'Header name', 'Header value'].map((name) => field(name).value)).toEqual([
    'https://pets.example.com/openapi.json',
    'X-Key',
    'secret',
  ]);
  choose('cURL');
  expect(field('curl command').value).toBe('curl https://pets.example.com');
});
