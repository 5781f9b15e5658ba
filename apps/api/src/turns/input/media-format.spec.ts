import { audioFormatOf, imageMimeOf } from './media-format.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('imageMimeOf', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x00\x00\x00\x00WEBPVP8 ', 'image/webp'],
    ['\x00\x00\x00\x20ftypavif', 'image/avif'],
    ['\x00\x00\x00\x20ftypheic', 'image/heic'],
    ['RIFF\x00\x00\x00\x00WAVEfmt ', null],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', null],
    ['%PDF-1.7', null],
    ['', null],
  ])('finds in %j %s', (text, mime) => expect(imageMimeOf(bytes(text))).toBe(mime));
});

describe('audioFormatOf', () => {
  it.each([
    ['RIFF\x00\x00\x00\x00WAVEfmt ', 'wav'],
    ['ID3\x04\x00', 'mp3'],
    ['\xff\xfb\x90\x00', 'mp3'],
    ['\xff\xf3\x40\xc0', 'mp3'],
    // Audio data in ADTS (AAC), and byte order marks of UTF-16.
    ['\xff\xf1\x50\x80', null],
    ['\xff\xfe\x41\x00', null],
    ['\xff\xff\xff\xff', null],
    ['OggS\x00\x02', null],
    ['fLaC', null],
    ['\x00\x00\x00\x20ftypM4A ', null],
    ['\x1aE\xdf\xa3', null],
    ['RIFF', null],
    ['', null],
  ])('finds in %j %s', (text, format) => expect(audioFormatOf(bytes(text))).toBe(format));
});
