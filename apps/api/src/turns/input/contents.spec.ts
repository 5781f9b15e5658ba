import { scaled } from '../../../e2e/faults/scale.ts';
import { checkContents, checkMediaUrl, parseDataUri } from './contents.ts';

const KEYS = scaled('CONTENT_KEYS', { quick: 20_000, slow: 400_000 });
const manyKeys = Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`key${i}`, 1]));

describe('checkContents', () => {
  it('allows 64 items', () => {
    const items = (count: number): unknown[] => Array(count).fill({ type: 'text', text: 'a' });
    expect(checkContents(items(64), 'contents')).toEqual([]);
    expect(checkContents(items(65), 'contents')).toEqual(['contents must have at most 64 items']);
  });

  it.each([
    ['text', { type: 'text', text: 'a', ...manyKeys }, 'contents[0]'],
    [
      'image_url',
      { type: 'image_url', image_url: { url: 'https://a.example/', ...manyKeys } },
      'contents[0].image_url',
    ],
    [
      'audio',
      { type: 'audio', audio_url: { url: 'https://a.example/', ...manyKeys } },
      'contents[0].audio_url',
    ],
  ])('gives many unknown keys in %s one problem', (_, item, path) => {
    expect(checkContents([item], 'contents')).toEqual([`${path} must have at most 500 keys`]);
  });
});

describe('a data URI', () => {
  it('has a type and may have some parameters', () => {
    expect(parseDataUri('data:text/plain;charset=utf-8;name=a;base64,SGk=')).toEqual({
      mime: 'text/plain',
      base64: 'SGk=',
    });
  });

  it.each([
    ['a head of 1 MB', `data:text/${'x'.repeat(1_000_000)};base64,SGk=`],
    ['2.4 million parameters', `data:text/plain${';a=b'.repeat(2_400_000)};base64,SGk=`],
    ['no comma', `data:text/plain;base64${';'.repeat(10_000_000)}`],
    ['10 MB that are no base64', `data:text/plain;base64,${'A'.repeat(10_000_000)}!`],
  ])('is refused with %s', (_, url) => {
    expect(parseDataUri(url)).toBeNull();
    expect(checkMediaUrl(url, 'url')).toHaveLength(1);
  });

  it('may hold 10 MB', () => {
    expect(parseDataUri(`data:text/plain;base64,${'A'.repeat(10_000_000)}`)).not.toBeNull();
  });
});
