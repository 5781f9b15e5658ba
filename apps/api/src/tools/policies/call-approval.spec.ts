import fc from 'fast-check';
import { verifies } from '../../../e2e/verifies.ts';
import { unmasked } from '../../tasks/inbox/hidden-values.ts';
import { hashCall, toApproval, toConsent } from './call-approval.ts';

const inputSchema = {
  type: 'object',
  properties: {
    pin: { type: 'string', format: 'password' },
    card: {
      type: 'object',
      properties: { number: { type: 'string', writeOnly: true }, name: { type: 'string' } },
    },
    keys: { type: 'array', items: { type: 'string', format: 'password' } },
  },
};
const method = { toolId: 't', tool: 'Shop', method: 'pay', id: 'm', version: '1', inputSchema };
const resolved = { policy: { mode: 'ask', approvers: 'requester' }, rule: 'method' } as const;

describe('what was shown', () => {
  it('has no secrets, which come back into changed arguments', () => {
    const input = { amount: 1, pin: '4711', card: { number: '42', name: 'A' }, keys: ['x', 'y'] };
    const call = toApproval(method, input, resolved);
    expect(call.arguments).toEqual({
      amount: 1,
      pin: '[hidden]',
      card: { number: '[hidden]', name: 'A' },
      keys: ['[hidden]', '[hidden]'],
    });
    const edited = {
      amount: 2,
      pin: '[hidden]',
      card: { number: '[hidden]', name: 'B' },
      keys: ['[hidden]', 'z'],
    };
    expect(unmasked(edited, call.arguments, input)).toEqual({
      amount: 2,
      pin: '4711',
      card: { number: '42', name: 'B' },
      keys: ['x', 'z'],
    });
    // A mask elsewhere is only a text.
    expect(unmasked({ other: '[hidden]' }, call.arguments, input)).toEqual({ other: '[hidden]' });
  });

  it('has no secrets that the schema offers for choice, or allows under any name', () => {
    const secret = { type: 'string', format: 'password' };
    const properties = {
      pin: { anyOf: [secret, { type: 'null' }] },
      login: { oneOf: [{ type: 'object', properties: { key: secret } }, { type: 'string' }] },
      keys: { allOf: [{ type: 'object', additionalProperties: secret }] },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, secret] },
    };
    const input = { pin: '4711', login: { key: 'k', name: 'A' }, keys: { a: 'x' }, pair: ['a', 'x'] };
    const shown = toApproval({ ...method, inputSchema: { type: 'object', properties } }, input, resolved);
    expect(shown.arguments).toEqual({
      pin: '[hidden]',
      login: { key: '[hidden]', name: 'A' },
      keys: { a: '[hidden]' },
      pair: ['a', '[hidden]'],
    });
    expect(unmasked(shown.arguments, shown.arguments, input)).toEqual(input);
  });

  it('has no secrets behind references, as MCP servers declare them', () => {
    const login = {
      type: 'object',
      properties: {
        password: { type: 'string', format: 'password' },
        next: { anyOf: [{ $ref: '#/$defs/Login' }, { type: 'null' }] },
        other: { $ref: '#/$defs/Gone' },
      },
    };
    const properties = { login: { $ref: '#/$defs/Login' }, loop: { $ref: '#/$defs/Loop' } };
    const $defs = { Login: login, Loop: { $ref: '#/$defs/Loop' } };
    const input = { login: { password: 'a', next: { password: 'b', next: null }, other: 'c' }, loop: 'd' };
    const inputSchema = { type: 'object', properties, $defs };
    expect(toApproval({ ...method, inputSchema }, input, resolved).arguments).toEqual({
      login: { password: '[hidden]', next: { password: '[hidden]', next: null }, other: 'c' },
      loop: 'd',
    });
  });

  verifies(
    'approval.bound',
    'is what runs: the hash tells methods, versions, and arguments apart',
    async () => {
      const input = fc.dictionary(fc.string(), fc.jsonValue());
      fc.assert(
        fc.property(input, input, fc.string(), fc.string(), (a, b, version, other) => {
          const reversed = Object.fromEntries(Object.entries(a).reverse());
          expect(hashCall('m', version, reversed)).toBe(hashCall('m', version, a));
          const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
          expect(hashCall('m', version, a) === hashCall('m', version, b)).toBe(isSame);
          expect(hashCall('m', version, a) === hashCall('m', other, a)).toBe(version === other);
          expect(hashCall('n', version, a)).not.toBe(hashCall('m', version, a));
        }),
      );
      const call = toApproval(method, { amount: 1 }, resolved);
      expect(toConsent(call, null, 'p').hash).toBe(call.hash);
      expect(toConsent(call, { amount: 2 }, 'p').hash).toBe(hashCall('m', '1', { amount: 2 }));
    },
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, field]) => [key, sorted(field)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}
