import { describe, expect, it } from '@jest/globals';
import { formatBytes } from './bytes.ts';

describe('formatBytes', () => {
  it('uses the largest unit that fits', () => {
    expect([1, 70, 1_500, 7_340_032].map((bytes) => formatBytes(bytes, 'en'))).toEqual([
      '1 byte',
      '70 bytes',
      '1.5 kB',
      '7.3 MB',
    ]);
  });
});
