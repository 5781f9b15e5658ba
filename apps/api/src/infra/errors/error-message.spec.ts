import { jest } from '@jest/globals';
import { AppError, invalidFor } from './app-error.ts';
import { fieldErrors, joinProblems, shortened, summarizeProblems } from './error-message.ts';

const bytes = (text: string) => Buffer.byteLength(text);

describe('shortened', () => {
  it('leaves alone what fits, to the byte', () => {
    for (const text of ['', 'x'.repeat(4096), 'ä'.repeat(2048), '𝕏'.repeat(1024)])
      expect(shortened(text, 4096)).toBe(text);
  });

  it.each(['x', 'ä', '€', '𝕏', '\ud800'])('cuts texts of %j between characters', (character) => {
    const cut = shortened(character.repeat(5000), 4096);
    expect(bytes(cut)).toBeLessThanOrEqual(4096);
    expect(bytes(cut)).toBeGreaterThan(4080);
    expect(cut.endsWith(`${character}…`)).toBe(true);
  });

  it('does not encode what it throws away', () => {
    const encode = jest.spyOn(Buffer, 'byteLength');
    shortened('x'.repeat(10_000_000), 4096);
    for (const [text] of encode.mock.calls) expect((text as string).length).toBeLessThan(5000);
    encode.mockRestore();
  });
});

describe('joinProblems', () => {
  it('joins what fits and counts the rest', () => {
    expect(joinProblems(['a is wrong', 'b is wrong'])).toBe('a is wrong; b is wrong');
    const many = Array.from({ length: 500 }, (_, i) => `field${i} is not a known field`);
    const message = joinProblems(many);
    const named = message.split('; ').length - 1;
    expect(message).toMatch(/^field0 is not a known field; /);
    expect(message.endsWith(`; … and ${500 - named} more`)).toBe(true);
    expect(bytes(message)).toBeLessThanOrEqual(4096);
    expect(bytes(message)).toBeGreaterThan(4000);
  });

  it('can be stored, whatever key a problem names', () => {
    expect(joinProblems(['payload.a\0b is not a known field', 'c'])).toBe(
      'payload.a\ufffdb is not a known field; c',
    );
  });

  it('does not let one problem hide the others', () => {
    const message = joinProblems(['x'.repeat(10_000_000), 'b is wrong']);
    expect(bytes(message)).toBeLessThan(1100);
    expect(message.endsWith('…; b is wrong')).toBe(true);
  });
});

describe('summarizeProblems', () => {
  it('names the first three problems', () => {
    expect(summarizeProblems(['a', 'b', 'c'])).toBe('a; b; c');
    expect(summarizeProblems(['a', 'b', 'c', 'd', 'e'])).toBe('a; b; c; … and 2 more');
  });
});

describe('fieldErrors', () => {
  it.each([
    ['name is required', 'name', 'is required'],
    ['settings.top_p must be a number', 'settings.top_p', 'must be a number'],
    [
      'contents[2].image_url.url: the model takes no images',
      'contents[2].image_url.url',
      'the model takes no images',
    ],
    ['/tasks/0/work~1flow must be an object', '/tasks/0/work~1flow', 'must be an object'],
    ['each value in tags must be a text', 'tags', 'each value must be a text'],
    ['The body must be a JSON object', '', 'The body must be a JSON object'],
    ['größe is not a known field', '', 'größe is not a known field'],
    ['name', '', 'name'],
  ])('splits %j', (problem, path, message) => expect(fieldErrors([problem])).toEqual([{ path, message }]));

  it('is bounded, whatever was sent', () => {
    const long = fieldErrors(Array.from({ length: 1000 }, (_, i) => `f${i} ${'€'.repeat(100_000)}`));
    expect(bytes(JSON.stringify(long))).toBeLessThan(20_000);
    expect(fieldErrors(Array.from({ length: 1000 }, (_, i) => `f${i} is required`))).toHaveLength(100);
    expect(fieldErrors(['a\0b.c is wrong'])).toEqual([{ path: '', message: 'a\ufffdb.c is wrong' }]);
  });
});

describe('AppError', () => {
  it('names the fields only of what was not valid', () => {
    const errors = [
      { path: 'a', message: 'is required' },
      { path: '', message: 'This is wrong' },
    ];
    expect(invalidFor(['a is required', 'This is wrong']).body).toEqual({
      success: false,
      code: 'VALIDATION_ERROR',
      message: 'a is required; This is wrong',
      errors,
    });
    expect(new AppError('NOT_FOUND', 'a is unknown').body).not.toHaveProperty('errors');
  });

  it('has a message of at most 4 KB, whoever made it', () => {
    const error = new AppError('NOT_FOUND', `Session ${'€'.repeat(100_000)} is unknown`);
    expect(bytes(error.message)).toBeLessThanOrEqual(4096);
    expect(error.body.message).toBe(error.message);
    expect(invalidFor(['a', 'b']).message).toBe('a; b');
  });
});
