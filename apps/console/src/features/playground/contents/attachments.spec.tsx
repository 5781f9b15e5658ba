import { describe, expect, it } from '@jest/globals';
import { toContent, fit, MAX_ATTACHED_BYTES } from './attachments.ts';

describe('fit', () => {
  it('accepts files within the limit and returns the names of the others', () => {
    const small = { size: 10 };
    const large = { size: MAX_ATTACHED_BYTES };
    expect(fit([large, small], 1)).toEqual({ fitting: [small], tooLarge: [large] });
    expect(fit([large], 0)).toEqual({ fitting: [large], tooLarge: [] });
  });

  it('leaves room for the request: the limit in base64 is below 10 MB', () => {
    expect((MAX_ATTACHED_BYTES / 3) * 4).toBeLessThan(10_000_000);
  });
});

describe('toContent', () => {
  it('converts images and audio to their own types and all others to named files', () => {
    expect(toContent('a.png', 'image/png', 'data:x')).toEqual({
      type: 'image_url',
      image_url: { url: 'data:x' },
    });
    expect(toContent('a.wav', 'audio/wav', 'data:x')).toEqual({
      type: 'audio',
      audio_url: { url: 'data:x' },
    });
    expect(toContent('a.pdf', 'application/pdf', 'data:x')).toEqual({
      type: 'file',
      file_info: { url: 'data:x', name: 'a.pdf' },
    });
  });
});
