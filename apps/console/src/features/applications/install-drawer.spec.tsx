import { afterEach, expect, it, jest } from '@jest/globals';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { InstallDrawer } from './install-drawer.tsx';

afterEach(cleanup);

it('lets nobody change the manifest while it is installed, and shows the system key', async () => {
  const installed = Promise.withResolvers<unknown>();
  jest.spyOn(client.applications, 'install').mockReturnValue(installed.promise as never);
  await renderInApp(
    <MemoryRouter>
      <InstallDrawer onClose={() => undefined} />
    </MemoryRouter>,
  );
  const text = screen.getByLabelText<HTMLTextAreaElement>('Manifest as JSON');
  fireEvent.change(text, { target: { value: '{"identifier": "shop"}' } });
  fireEvent.click(screen.getByRole('button', { name: 'Install' }));
  // A change would give up the result, and the key is shown only once.
  await waitFor(() => expect(text.disabled).toBe(true));
  await act(async () => {
    installed.resolve({
      application: { identifier: 'shop', name: 'Shop', eventCount: 1, tableCount: 0, taskCount: 2 },
      systemKey: 'sk_only_once',
    });
  });
  await screen.findByText('sk_only_once');
  expect(screen.getByText('1 event, 0 tables, 2 tasks')).toBeTruthy();
});
