import { maskProblem, unmasked } from './hidden-values.ts';

const MASK = '[hidden]';
const host = (name: string, key: string) => ({ host: name, login: { key } });
const original = { hosts: [host('a', 'key of a'), host('b', 'key of b')], keys: ['x', 'y', 'z'] };
const [a, b] = [host('a', MASK), host('b', MASK)];
const shown = { hosts: [a, b], keys: [MASK, MASK, MASK] };
const hosts = (...edited: unknown[]) => ({ hosts: edited });

describe('what a person has left masked', () => {
  it.each([
    ['is moved', hosts(b, a), hosts(original.hosts[1], original.hosts[0])],
    ['follows one that is removed', hosts(b), hosts(original.hosts[1])],
    ['follows a new one', hosts(host('c', 'new'), a), hosts(host('c', 'new'), original.hosts[0])],
    [
      'is changed in its place',
      hosts(a, { ...b, port: 1 }),
      hosts(original.hosts[0], { ...original.hosts[1], port: 1 }),
    ],
    ['is one of several that look the same', { keys: [MASK, 'new', MASK] }, { keys: ['x', 'new', 'z'] }],
  ])('comes back if its entry %s', (_, edited, expected) => {
    expect(unmasked(edited, shown, original)).toEqual(expected);
    expect(maskProblem(edited, shown)).toBeNull();
  });

  it.each([
    ['is changed and moved', hosts({ ...b, port: 1 }, a)],
    ['is changed, and another one is removed', hosts({ ...b, port: 1 })],
    ['is new', hosts(a, b, host('c', MASK))],
    ['cannot be told from others when one is removed', { keys: [MASK, MASK] }],
    ['is in another list', { others: [a] }],
  ])('is asked for if its entry %s', (_, edited) => {
    expect(JSON.stringify(unmasked(edited, shown, original))).toContain(MASK);
    expect(maskProblem(edited, shown)).toContain('arguments must have values in place of [hidden]');
  });

  it('is only a text where a text was shown that looks like it', () => {
    expect(maskProblem({ note: MASK }, { note: MASK })).toBeNull();
  });
});
