import { expect, it, jest } from '@jest/globals';
import { act, screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { announceWait } from '../../ui/browser/waiting.ts';
import { WaitNotice } from './wait-notice.tsx';

it('says that calls wait, until the longest wait is over', async () => {
  await renderInApp(<WaitNotice />);
  jest.useFakeTimers();
  act(() => {
    announceWait(1_999);
  });
  expect(screen.queryByRole('status')).toBeNull();
  act(() => {
    announceWait(61_000);
    announceWait(2_000);
  });
  expect(screen.getByRole('status').textContent).toMatch(/continues by itself/);
  screen.getByText('61 s');
  act(() => {
    jest.advanceTimersByTime(58_500);
  });
  screen.getByText('3 s');
  act(() => {
    jest.advanceTimersByTime(2_500);
  });
  expect(screen.queryByRole('status')).toBeNull();
});
