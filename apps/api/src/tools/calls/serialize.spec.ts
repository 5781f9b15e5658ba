import {
  serializeCookie,
  serializeHeader,
  serializePath,
  serializeQuery,
  type Serialization,
} from './serialize.ts';

const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

function query(value: unknown, how: Serialization): string {
  return serializeQuery('color', value, how)
    .map((pair) => pair.join('='))
    .join('&');
}

describe('serialization', () => {
  // The table "Style Examples" of OpenAPI 3.0.4: an empty text, a text, a list, and an object.
  it.each([
    ['matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    ['matrix', true, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
    ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ])('follows the table of OpenAPI in paths: %s, explode %s', (style, explode, ...expected) => {
    expect(
      ['', 'blue', LIST, OBJECT].map((value) => serializePath('color', value, { style, explode })),
    ).toEqual(expected);
  });

  it.each([
    ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    ['form', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ])('follows the table of OpenAPI in queries: %s, explode %s', (style, explode, ...expected) => {
    expect(['', 'blue', LIST, OBJECT].map((value) => query(value, { style, explode }))).toEqual(expected);
  });

  it.each([
    ['spaceDelimited', false, LIST, 'color=blue%20black%20brown'],
    ['spaceDelimited', false, OBJECT, 'color=R%20100%20G%20200%20B%20150'],
    ['pipeDelimited', false, LIST, 'color=blue%7Cblack%7Cbrown'],
    ['pipeDelimited', false, OBJECT, 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['deepObject', true, OBJECT, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
  ])('follows the table of OpenAPI in queries: %s, explode %s, %j', (style, explode, value, expected) => {
    expect(query(value, { style, explode })).toBe(expected);
  });

  it('distinguishes empty texts, false, zero, and null in lists and objects', () => {
    expect(query(['', false, 0, null], {})).toBe('color=&color=false&color=0');
    expect(query({ a: '', b: false, c: 0, d: null }, { style: 'deepObject' })).toBe(
      'color%5Ba%5D=&color%5Bb%5D=false&color%5Bc%5D=0',
    );
  });

  it('sends a value as text of its media type', () => {
    const how = { mediaType: 'application/json' };
    expect(query({ a: [1, 'é'] }, how)).toBe('color=%7B%22a%22%3A%5B1%2C%22%C3%A9%22%5D%7D');
    expect(query('x', how)).toBe('color=%22x%22');
    expect(query('x', { mediaType: 'text/plain' })).toBe('color=x');
    expect(serializeHeader({ a: null }, how)).toBe('{"a":null}');
    expect(serializePath('color', true, how)).toBe('true');
    expect(serializeCookie('color', [1], how)).toEqual([['color', '%5B1%5D']]);
  });

  it('keeps what is percent-encoded already, if reserved characters are allowed', () => {
    expect(query('%2F/50%/%zz', { allowReserved: true })).toBe('color=%2F/50%25/%25zz');
    expect(query('%2F', {})).toBe('color=%252F');
  });

  it('takes lone surrogates', () => {
    expect(query('\ud800', {})).toBe('color=%EF%BF%BD');
  });

  it('sends cookies of style cookie as they are', () => {
    expect(serializeCookie('color', 'a,b', { style: 'cookie' })).toEqual([['color', 'a,b']]);
  });
});
