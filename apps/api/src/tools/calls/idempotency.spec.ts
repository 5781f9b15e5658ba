import { verifies } from '../../../e2e/verifies.ts';
import { buildRequest } from './http-request.ts';
import { checkIdempotency, effectsOf, keyHeader, type EffectFacts } from './idempotency.ts';

const RUN = '0199aaaa-0000-7000-8000-000000000000';
const HONORED = { header: 'Idempotency-Key', isHonored: true };

const facts = (change: Partial<EffectFacts> = {}): EffectFacts => ({
  acts: true,
  idempotency: HONORED,
  redirects: 'same-origin',
  auth: { type: 'none' },
  bindings: [{ port: 'key', in: 'header', name: 'idempotency-key' }],
  ...change,
});

describe('the key of a call', () => {
  verifies('tools.calls.idempotency', 'is the effect, shortened if servers could not keep it', async () => {
    expect(keyHeader(HONORED, `${RUN}:orders[3].charge`)).toEqual([
      'Idempotency-Key',
      `${RUN}:orders[3].charge`,
    ]);
    const long = ['a', 'b'].map((id) => keyHeader(HONORED, `${RUN}:${id.repeat(300)}`)?.[1] ?? '');
    for (const key of long) expect(key).toMatch(new RegExp(`^${RUN}:[\\w-]{43}$`));
    expect(long[0]).not.toBe(long[1]);
    expect(keyHeader({ header: null, isHonored: false }, RUN)).toBeNull();
  });

  verifies('tools.calls.idempotency', 'gives way to what the input and the authentication say', async () => {
    const { bindings } = facts();
    const method = {
      serverUrl: 'http://api.example',
      httpMethod: 'post',
      path: '/',
      inputSchema: {},
      bindings,
      bodyMediaType: null,
      encoding: null,
    };
    const auth = { headers: [], query: [], cookies: [], secrets: [] };
    const sent = (values: Record<string, unknown>, by: [string, string][] = []) =>
      new Headers(
        buildRequest(method, { ...auth, headers: by }, values, ['Idempotency-Key', 'ours']).headers,
      ).get('idempotency-key');
    expect([sent({}), sent({ key: null }), sent({ key: 'theirs' })]).toEqual(['ours', 'ours', 'theirs']);
    expect(sent({ key: 'theirs' }, [['IDEMPOTENCY-KEY', 'secret']])).toBe('secret');
  });
});

verifies(
  'tools.calls.idempotency',
  'a call is repeatable only if the server surely has the key',
  async () => {
    const isRepeatable = (change: Partial<EffectFacts>, input = {}) =>
      effectsOf(facts(change), input).isRepeatable;
    expect(isRepeatable({})).toBe(true);
    expect(isRepeatable({ acts: false, idempotency: { header: null, isHonored: false } })).toBe(true);
    expect(isRepeatable({ idempotency: { ...HONORED, isHonored: false } })).toBe(false);
    expect(isRepeatable({}, { key: 'theirs' })).toBe(false);
    expect(isRepeatable({}, { key: null })).toBe(true);
    expect(isRepeatable({ redirects: 'any' })).toBe(false);
    expect(isRepeatable({ auth: { type: 'header', name: 'idempotency-key', configured: true } })).toBe(false);
  },
);

verifies('tools.calls.idempotency', 'a setting that cannot be kept names its field', async () => {
  expect(checkIdempotency(HONORED, 'i')).toEqual([]);
  expect(checkIdempotency({ header: 'Host', isHonored: 1, more: 1 }, 'i')).toEqual([
    expect.stringContaining('i.more'),
    expect.stringContaining('i.header'),
    expect.stringContaining('i.isHonored'),
  ]);
});
