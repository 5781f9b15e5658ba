import { afterEach, expect, it, jest } from '@jest/globals';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { SessionsList } from './sessions-list.tsx';

afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
});

const TITLES = [...Array.from({ length: 299 }, (_, i) => `Order ${i}`), 'About rivers'];

it('searches all conversations, not only those that are loaded', async () => {
  jest.spyOn(client.agents, 'sessions').mockImplementation(((_: string, { cursor = '0' } = {}) => {
    const items = TITLES.slice(Number(cursor), Number(cursor) + 100).map((title) => ({
      sessionId: title,
      title,
      runningTurnId: null,
      lastTurnAt: '2026-01-01T00:00:00.000Z',
    }));
    const next = Number(cursor) + 100;
    return Promise.resolve({ items, nextCursor: next < TITLES.length ? String(next) : null });
  }) as never);
  await renderInApp(
    <MemoryRouter>
      <SessionsList agentId="a1" sessionId="none" onNew={jest.fn()} onDeleted={jest.fn()} />
    </MemoryRouter>,
  );
  const search = (value: string) =>
    fireEvent.change(screen.getByLabelText('Search conversations'), { target: { value } });
  await screen.findByText('Order 99');
  search('rivers');
  expect(screen.queryByText('No conversation matches.')).toBeNull();
  await screen.findByRole('link', { name: /About rivers/ });
  search('lakes');
  await screen.findByText('No conversation matches.');
});
