import { chooseFields, isJsonPointer } from './output-fields.ts';

describe('the fields of an output', () => {
  const value = {
    id: 1,
    owner: { name: 'Ada', mail: 'a@example.com' },
    tags: [{ name: 'x', color: 'red' }, { color: 'blue' }, null, 7, { name: 'y' }],
    matrix: [
      [{ a: 1, b: 2 }],
      [
        { a: 3, b: 4 },
        { a: 5, b: 6 },
      ],
    ],
    none: null,
    'a/b~c': { '': 1, d: 2 },
  };
  it.each<[string[], unknown]>([
    [['/id'], { id: 1 }],
    [['/owner/name', '/id'], { id: 1, owner: { name: 'Ada' } }],
    [['/owner', '/owner/name'], { owner: value.owner }],
    [['/tags/-/name'], { tags: [{ name: 'x' }, {}, null, { name: 'y' }] }],
    [['/matrix/-/-/a'], { matrix: [[{ a: 1 }], [{ a: 3 }, { a: 5 }]] }],
    [['/matrix/-'], { matrix: value.matrix }],
    // An item has no place that lasts, so its number names nothing.
    [['/id', '/tags/0/name'], { id: 1 }],
    [['/none/name', '/id'], { id: 1, none: null }],
    [['/a~1b~0c/'], { 'a/b~c': { '': 1 } }],
    [['/id/deeper'], undefined],
    [['/missing'], undefined],
  ])('%j are chosen within the objects and lists around them', (pointers, chosen) => {
    expect(chooseFields(value, pointers)).toEqual(chosen);
  });

  it('are those of every item of a list', () => {
    expect(chooseFields([{ id: 1, x: 2 }, { id: 3 }], ['/-/id'])).toEqual([{ id: 1 }, { id: 3 }]);
  });

  it('are none of a text, which stays', () => {
    expect(chooseFields('plain', ['/id'])).toBe('plain');
    expect(chooseFields(null, ['/id'])).toBeNull();
  });

  it('can have the names of what every object has', () => {
    const own = JSON.parse('{"__proto__":{"a":1},"constructor":2,"x":3}') as unknown;
    expect(JSON.stringify(chooseFields(own, ['/__proto__/a', '/constructor']))).toBe(
      '{"__proto__":{"a":1},"constructor":2}',
    );
    expect(chooseFields({ x: 1 }, ['/toString'])).toBeUndefined();
  });

  it.each([
    ['/a', true],
    ['/a/-/b', true],
    ['/', true],
    ['/~0~1', true],
    ['', false],
    ['a', false],
    ['/~2', false],
    ['/~', false],
    ['#/a', false],
  ])('%j is a pointer: %s', (text, expected) => {
    expect(isJsonPointer(text)).toBe(expected);
  });
});
