import { afterEach, expect, it, jest } from '@jest/globals';
import type { Agent } from '@platform/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { App } from 'antd';
import { renderInApp } from '../../../../test/render.tsx';
import { client, queryClient, setSession } from '../../../api.ts';
import { useUnsavedGuard } from '../../../ui/forms/use-unsaved-guard.ts';
import { VersionsDrawer } from './versions-drawer.tsx';

const SPACE = { id: 's-1', name: 'Space', role: 'ADMIN' };
const SESSION = { accessToken: '', user: { id: 'u-1', name: 'Ada' }, space: SPACE, spaces: [SPACE] } as never;

afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
  setSession(null);
  queryClient.clear();
});

const AGENT = {
  id: 'a-1',
  name: 'Poet',
  description: '',
  model: 'm',
  systemPrompt: '',
  accessScope: 'SPACE',
  allowedUserIds: [],
  variables: [],
  tools: [],
  localTools: [],
  knowledge: { enabled: false, topK: 5 },
  settings: {},
  askUser: true,
  version: 2,
} as unknown as Agent;

/** A page whose form begins anew with what is restored. */
function Page({ unsaved }: { unsaved: boolean }) {
  useUnsavedGuard(unsaved);
  return <VersionsDrawer agent={AGENT} onClose={() => undefined} onRestored={() => undefined} />;
}

it.each([true, false])('says before a restore whether unsaved changes are lost: %p', async (unsaved) => {
  const versions = [2, 1].map((version) => ({
    version,
    agent: AGENT,
    createdAt: '2026-01-01T00:00:00.000Z',
    author: null,
  }));
  jest.spyOn(client.agents, 'versions').mockResolvedValue({ items: versions, nextCursor: null });
  setSession(SESSION);
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <App>
        <Page unsaved={unsaved} />
      </App>
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Restore version 1' }));
  await screen.findByText('Version 3 will be created', { exact: false });
  expect(screen.queryByText('The unsaved changes in the form will be lost.') !== null).toBe(unsaved);
});

it('says why earlier versions could not be loaded', async () => {
  const latest = { version: 2, agent: AGENT, createdAt: '2026-01-01T00:00:00.000Z', author: null };
  const versions = jest.spyOn(client.agents, 'versions');
  versions.mockResolvedValueOnce({ items: [latest], nextCursor: 'earlier' });
  versions.mockRejectedValueOnce(new Error('The service is busy'));
  setSession(SESSION);
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <Page unsaved={false} />
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Load more' }));
  expect((await screen.findByRole('alert')).textContent).toBe('The service is busy');
});
