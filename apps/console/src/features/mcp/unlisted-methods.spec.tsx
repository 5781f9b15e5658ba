import { afterEach, expect, it } from '@jest/globals';
import type { McpOffers } from '@platform/contracts';
import { cleanup, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { loadSpaceTexts } from '../../i18n.ts';
import { UnlistedMethods } from './unlisted-methods.tsx';

afterEach(cleanup);

async function show(offers: Partial<McpOffers>) {
  await loadSpaceTexts();
  await renderInApp(
    <MemoryRouter>
      <UnlistedMethods offers={offers as McpOffers} />
    </MemoryRouter>,
  );
}

const method = (name: string, limit: 'tools' | 'bytes', toolName = 'Orders') => ({
  toolId: toolName.toLowerCase(),
  toolName,
  name,
  limit,
});

it('names the methods that clients do not see, by tool, and says which limit they exceed', async () => {
  await show({
    unlistedMethods: 5,
    unlisted: [method('list', 'bytes'), method('get', 'bytes'), method('ship', 'tools', 'Parcels')],
  });
  await screen.findByText('5 methods are not listed for clients');
  const orders = screen.getByRole('region', { name: 'Orders' });
  expect(orders.textContent).toContain('beyond the 2 MB');
  expect(within(orders).getByRole('link', { name: 'Orders' }).getAttribute('href')).toBe('/tools/orders');
  expect(
    within(orders)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['list', 'get']);
  expect(screen.getByRole('region', { name: 'Parcels' }).textContent).toContain('beyond the 128 tools');
  screen.getByText('and 2 more');
});

it('says nothing if all are listed, and counts what an earlier version of the service does not name', async () => {
  await show({ unlistedMethods: 0, unlisted: [] });
  expect(screen.queryByRole('alert')).toBeNull();
  cleanup();
  await show({ unlistedMethods: 1 });
  await screen.findByText('1 method is not listed for clients');
});
