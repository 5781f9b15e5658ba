import { describe, expect, it } from '@jest/globals';
import { toContent, fit, MAX_ATTACHED_BYTES } from './attachments.ts';

describe('fit', () => {
  it('takes what fits beside what is attached already, and names the rest', () => {
    const small = { size: 10 };
    const large = { size: MAX_ATTACHED_BYTES };
    expect(fit([large, small], 1)).toEqual({ fitting: [small], tooLarge: [large] });
    expect(fit([large], 0)).toEqual({ fitting: [large], tooLarge: [] });
  });

  it('leaves room for the request: base64 of the limit stays below 10 MB', () => {
    expect((MAX_ATTACHED_BYTES / 3) * 4).toBeLessThan(10_000_000);
  });
});

describe('toContent', () => {
  it('sends images and audio as such and everything else as a file with its name', () => {
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
