import { describe, expect, it } from '@jest/globals';
import { detectSource } from './detect-source.ts';

describe('detectSource', () => {
  it.each([
    ['  https://api.example.com/openapi.json\n', 'url'],
    ['HTTP://localhost:8080/v3/api-docs', 'url'],
    ["curl 'https://api.example.com/orders' \\\n  -d '{}'", 'curl'],
    ['curl.exe https://api.example.com', 'curl'],
    ['openapi: 3.1.0\npaths: {}', 'text'],
    ['# https://api.example.com\nopenapi: 3.1.0', 'text'],
    ['https://api.example.com is the server', 'text'],
    ['curly: braces', 'text'],
    ['{"openapi": "3.1.0"}', 'text'],
    ['', 'text'],
  ])('%j is a %s', (text, type) => {
    expect(detectSource(text).type).toBe(type);
  });

  it('keeps a document as it is, and trims an address', () => {
    expect(detectSource(' a: 1\n')).toEqual({ type: 'text', text: ' a: 1\n' });
    expect(detectSource(' https://a.example ')).toEqual({
      type: 'url',
      url: 'https://a.example',
      header: null,
    });
  });
});
