import { expect, it, jest } from '@jest/globals';
import { act, cleanup, screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { FeedNotice } from './feed-notice.tsx';

it('says that the browser is offline until it no longer is', async () => {
  const online = jest.spyOn(navigator, 'onLine', 'get').mockReturnValue(true);
  await renderInApp(<FeedNotice isPolling={false} />);
  const status = screen.getByRole('status');
  const turn = (isOnline: boolean) =>
    act(() => {
      online.mockReturnValue(isOnline);
      window.dispatchEvent(new Event(isOnline ? 'online' : 'offline'));
    });
  expect(status.textContent).toBe('');
  turn(false);
  expect(status.textContent).toMatch(/^You are offline\./);
  turn(true);
  expect(status.textContent).toBe('');
  cleanup();
});
