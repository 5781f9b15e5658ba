import { afterEach, expect, it, jest } from '@jest/globals';
import { act, screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { formatAbsoluteTime } from './absolute-time.ts';
import { timeStyle } from './time-style.ts';
import { Time } from './time.tsx';

afterEach(() => timeStyle.choose('relative'));

it('shows times as the user has chosen, and the other way in the tooltip', async () => {
  const iso = new Date(Date.now() - 5 * 60_000).toISOString();
  const absolute = formatAbsoluteTime(iso, Date.now(), 'en');
  const user = await renderInApp(<Time iso={iso} />);
  screen.getByText('5 min. ago');
  act(() => timeStyle.choose('absolute'));
  await user.hover(screen.getByText(absolute, { normalizer: String }));
  await screen.findByRole('tooltip', { name: '5 min. ago' });
  act(() => timeStyle.choose('relative'));
  expect(screen.queryByText(absolute, { normalizer: String })).toBeNull();
});

it('writes the year only if it is not the current one', () => {
  const now = Date.parse('2026-11-30T12:00:00');
  const lines = (iso: string, language: string) =>
    formatAbsoluteTime(iso, now, language)
      .split(' ')
      .map((line) => line.replaceAll('\u00a0', ' '));
  expect(lines('2026-03-01T13:05:09', 'en')).toEqual(['Mar 1', '1:05:09 PM']);
  expect(lines('2025-03-01T13:05:09', 'en')).toEqual(['Mar 1, 2025', '1:05:09 PM']);
  expect(lines('2026-03-01T13:05:09', 'zh-CN')).toEqual(['3月1日', '13:05:09']);
});

it('follows a choice in another window, and keeps the default as nothing', () => {
  const listener = jest.fn();
  const unsubscribe = timeStyle.subscribe(listener);
  localStorage.setItem('platform.times', 'absolute');
  window.dispatchEvent(new StorageEvent('storage', { key: 'platform.times' }));
  window.dispatchEvent(new StorageEvent('storage', { key: 'other' }));
  expect([timeStyle.read(), listener.mock.calls.length]).toEqual(['absolute', 1]);
  localStorage.setItem('platform.times', 'of another version');
  expect(timeStyle.read()).toBe('relative');
  timeStyle.choose('relative');
  expect([localStorage.getItem('platform.times'), listener.mock.calls.length]).toEqual([null, 2]);
  unsubscribe();
});
