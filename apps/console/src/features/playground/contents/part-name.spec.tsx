import { describe, expect, it } from '@jest/globals';
import { getPartName } from './part-name.ts';

describe('getPartName', () => {
  const attachment = { id: 'a1', mime: 'image/png', bytes: 70, url: '/api/x' };

  it('returns the file name, or the media type, or the URL', () => {
    expect(getPartName({ type: 'file', file_info: { url: 'data:a/b;base64,', name: 'a.csv' } })).toBe(
      'a.csv',
    );
    expect(getPartName({ type: 'image_url', image_url: { url: 'data:image/gif;base64,AA' } })).toBe(
      'image/gif',
    );
    expect(getPartName({ type: 'image_url', image_url: { url: '', detail: 'auto' }, attachment })).toBe(
      'image/png',
    );
    expect(getPartName({ type: 'audio', audio_url: { url: 'https://example.com/a.mp3' } })).toBe(
      'https://example.com/a.mp3',
    );
  });
});
