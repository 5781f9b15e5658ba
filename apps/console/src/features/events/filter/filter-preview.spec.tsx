import { afterEach, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../../test/render.tsx';
import { client, queryClient } from '../../../api.ts';
import { FilterPreview } from './filter-preview.tsx';

const EVENT = { applicationIdentifier: 'shop', event: 'order.created' };

afterEach(cleanup);

it('says in the words of the console why the filter cannot be tried again', async () => {
  const preview = jest.spyOn(client.events, 'previewFilter');
  preview.mockResolvedValueOnce({ items: [], matched: 0 });
  preview.mockRejectedValue(new PlatformConnectionError('fetch failed'));
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <FilterPreview event={EVENT} filter={null} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByRole('region');
  await act(() => queryClient.invalidateQueries());
  await screen.findByText(/The service cannot be reached/);
});
