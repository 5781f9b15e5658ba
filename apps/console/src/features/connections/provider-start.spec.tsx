import { afterEach, expect, it, jest } from '@jest/globals';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { ProviderDrawer } from './provider-drawer.tsx';

afterEach(cleanup);

const PRESET = {
  id: 'acme',
  name: 'Acme',
  origins: ['https://api.acme.example'],
  testUrl: null,
  docsUrl: 'https://acme.example/docs',
  oauth: {
    tokenEndpoint: 'https://acme.example/token',
    clientAuth: 'basic',
    scopes: [],
    tokenFormat: 'form',
  },
};

it('asks before a start replaces what was entered, and keeps a name for what is found out', async () => {
  jest.spyOn(client.connections, 'listProviders').mockResolvedValue({ items: [], nextCursor: null });
  jest
    .spyOn(client.connections, 'presets')
    .mockResolvedValue({ items: [PRESET], callbackUrl: 'https://console.example/callback' } as never);
  const user = await renderInApp(
    <MemoryRouter>
      <ProviderDrawer providerId={null} onClose={() => undefined} />
    </MemoryRouter>,
  );
  await screen.findByText('https://console.example/callback');
  const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
  const type = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });
  const start = async (text: string) => {
    fireEvent.mouseDown(screen.getByLabelText('Start from'));
    await user.click(await screen.findByTitle(text));
  };
  type('Name', 'Parcels');
  await start('Find out from a server');
  await screen.findByPlaceholderText('https://mcp.example.com/mcp');
  expect(field('Name').value).toBe('Parcels');

  type('Client ID', 'parcel-client');
  await start('Acme');
  await user.click(await screen.findByRole('button', { name: 'Keep' }));
  expect([field('Name').value, field('Client ID').value]).toEqual(['Parcels', 'parcel-client']);

  await start('Acme');
  await user.click((await screen.findAllByRole('button', { name: 'Replace' })).at(-1) as HTMLElement);
  await waitFor(() => expect([field('Name').value, field('Client ID').value]).toEqual(['Acme', '']));

  // What a start has filled in was not entered by anybody.
  await start('Enter by hand');
  await waitFor(() => expect(field('Name').value).toBe(''));
});
