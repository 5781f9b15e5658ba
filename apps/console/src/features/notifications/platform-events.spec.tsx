import { afterEach, expect, it, jest } from '@jest/globals';
import type { PlatformEvents as Events } from '@platform/contracts';
import { cleanup, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { loadSpaceTexts, startI18n } from '../../i18n.ts';
import { PlatformEvents } from './platform-events.tsx';

const events: Events['events'] = [
  { name: 'run.failed', severity: 'error', description: 'A run failed.', payloadSchema: {} },
];

afterEach(cleanup);

it('makes the notifications events, which then lead to the catalog', async () => {
  let enabled = false;
  jest.spyOn(client.notifications, 'getPlatformEvents').mockImplementation(() => answer());
  const update = jest.spyOn(client.notifications, 'updatePlatformEvents').mockImplementation((request) => {
    ({ enabled } = request);
    return answer();
  });
  const answer = () => Promise.resolve({ enabled, events }) as never;
  await startI18n();
  await loadSpaceTexts();
  const user = await renderInApp(
    <MemoryRouter>
      <PlatformEvents />
    </MemoryRouter>,
  );
  const toggle = await screen.findByRole('switch', { name: 'Emit what happens as events' });
  expect(screen.queryByRole('link')).toBeNull();
  await user.click(toggle);
  expect(update).toHaveBeenCalledWith({ enabled: true });
  await screen.findByText('A run failed');
});
