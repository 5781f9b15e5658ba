import { describe, expect, it } from '@jest/globals';
import { formatRelativeTime } from './relative-time.ts';

describe('formatRelativeTime', () => {
  const now = Date.parse('2026-01-02T12:00:00Z');

  it('uses the largest unit that fits, and "now" below a minute', () => {
    expect(formatRelativeTime('2026-01-02T11:59:30Z', now, 'en')).toBe('now');
    expect(formatRelativeTime('2026-01-02T11:55:00Z', now, 'en')).toBe('5 min. ago');
    expect(formatRelativeTime('2026-01-01T12:00:00Z', now, 'en')).toBe('yesterday');
    expect(formatRelativeTime('2026-04-02T12:00:00Z', now, 'en')).toBe('in 3 mo.');
  });
});
