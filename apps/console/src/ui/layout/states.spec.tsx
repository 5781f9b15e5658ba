import { afterEach, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { Loaded } from './states.tsx';

afterEach(cleanup);

it('says why nothing was loaded, tries again, and leaves what is shown when a reload fails', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  let load: () => Promise<string> = () => Promise.reject(new Error('The service is busy'));
  function Page() {
    const tool = useQuery({ queryKey: ['tool'], queryFn: () => load() });
    return <Loaded query={tool}>{(name) => <p>{name}</p>}</Loaded>;
  }
  await renderInApp(
    <QueryClientProvider client={queries}>
      <Page />
    </QueryClientProvider>,
  );
  await screen.findByText('The service is busy');
  load = () => Promise.resolve('Pets');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('Pets');
  load = () => Promise.reject(new Error('The service is busy'));
  await act(() => queries.invalidateQueries());
  await waitFor(() => expect(queries.getQueryState(['tool'])?.status).toBe('error'));
  expect(screen.getByText('Pets')).toBeTruthy();
  expect(screen.queryByText('The service is busy')).toBeNull();
});
