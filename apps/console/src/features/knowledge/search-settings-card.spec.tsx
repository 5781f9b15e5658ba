import { afterEach, expect, it, jest } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { client, keys, queryClient, setSession } from '../../api.ts';
import { SearchSettingsCard } from './search-settings-card.tsx';

const SPACE = { id: 's-1', name: 'Space', role: 'MEMBER' };
const SESSION = { accessToken: '', user: { id: 'u-1', name: 'Ada' }, space: SPACE, spaces: [SPACE] } as never;
const EMBEDDING = {
  id: 'e-1',
  model: 'embedder',
  status: 'READY',
  passages: 10,
  embedded: 4,
  skipped: 0,
  error: null,
  retryAt: null,
  knowsMeaning: true,
};

afterEach(() => {
  cleanup();
  setSession(null);
});

it.each([
  { what: 'vectors are made', changes: {}, every: 1_500 },
  { what: 'a failure lasts', changes: { error: 'The model does not respond' }, every: 30_000 },
  { what: 'nothing is left to do', changes: { embedded: 10 }, every: false },
])('looks at the progress again after $every ms when $what', async ({ changes, every }) => {
  setSession(SESSION);
  jest.spyOn(client.knowledge, 'getSettings').mockResolvedValue({
    embedding: { ...EMBEDDING, ...changes },
    serving: null,
    rerankModel: null,
    rewritesQuestions: false,
  } as never);
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <SearchSettingsCard />
    </QueryClientProvider>,
  );
  await screen.findByText('embedder', { exact: false });
  const query = queryClient.getQueryCache().find({ queryKey: keys.knowledgeSettings });
  const refetchInterval = query?.observers[0]?.options.refetchInterval;
  expect(typeof refetchInterval === 'function' && query && refetchInterval(query)).toBe(every);
});
