import fc from 'fast-check';
import { Secrets } from '../../models/port/secrets.ts';
import { SseSecrets } from './sse-secrets.ts';

const KEY = 'sk-canary-4b7e19c2';
const BASE64 = Buffer.from(KEY).toString('base64');
const secrets = Secrets.of(KEY);
const DONE = 'data: [DONE]\n\n';

const eventOf = (delta: object, index = 0) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index, delta, finish_reason: null }] }, null, 1).replaceAll('\n', '')}\n\n`;

/** What comes out when each event, or several at once, are pushed. */
function through(events: string[], together = 1): string {
  const filter = new SseSecrets(secrets);
  const parts: Buffer[] = [];
  for (let at = 0; at < events.length; at += together) {
    parts.push(filter.push(Buffer.from(events.slice(at, at + together).join(''))));
  }
  return Buffer.concat([...parts, filter.end()]).toString();
}

/** The text of a field over all events. */
function textOf(stream: string, field: string): string {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => {
      const { choices } = JSON.parse(event.slice(6)) as { choices: { delta: Record<string, string> }[] };
      return choices[0]?.delta[field] ?? '';
    })
    .join('');
}

const pieces = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];

describe('SseSecrets', () => {
  const echo = `You sent ${KEY} or ${BASE64}: 😀 wörld`;
  const masked = /^You sent .{0,3}\*{15,} or .{0,3}\*{20,}: 😀 wörld$/u;

  it.each([1, 2, 3, 5, 8, 17, 100])('masks a key that comes in pieces of %i characters', (size) => {
    for (const field of ['content', 'reasoning_content']) {
      const events = [...pieces(echo, size).map((text) => eventOf({ [field]: text })), DONE];
      for (const together of [1, 2, 1_000]) {
        const out = through(events, together);
        expect(textOf(out, field)).toMatch(masked);
        expect(textOf(out, field)).toHaveLength(echo.length);
        expect(out.endsWith(DONE)).toBe(true);
        expect(out.split('\n\n')).toHaveLength(events.length + 1);
      }
    }
  });

  it('masks a key in the arguments of a call', () => {
    const call = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
    const out = through([...pieces(`{"key":"${KEY}"}`, 4).map((text) => eventOf(call(text))), DONE]);
    const json = [...out.matchAll(/"arguments":\s*"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join('');
    expect(json).not.toContain(KEY.slice(4));
    expect(json).toContain('*'.repeat(14));
  });

  it('handles choices separately: two that contain the halves of a key reveal nothing', () => {
    const events = pieces(KEY, 1).map((letter, i) => eventOf({ content: letter }, i % 2));
    expect(through(events)).toBe(events.join(''));
  });

  it('leaves every byte of everything else, and holds back only what may begin a key', () => {
    const words = fc.constantFrom('sk-', 'sk-canary', 's', 'c2st', ' word', '😀', '\n', 'sk-can', 'ary-');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (texts, together) => {
        const events = [
          ...texts.map((content) => eventOf({ content })),
          ': comment\n\n',
          'data: nonsense\r\n\r\n',
          DONE,
        ];
        const whole = texts.join('');
        fc.pre(!secrets.isIn(whole) && !/(sk-canary|c2stY2Fu)[\w-]*$/.test(whole));
        expect(through(events, together)).toBe(events.join(''));
      }),
    );
    const filter = new SseSecrets(secrets);
    const [held, released] = [
      Buffer.from(eventOf({ content: 'sk-ca' })),
      Buffer.from(eventOf({ content: 't' })),
    ];
    expect(filter.push(held)).toHaveLength(0);
    expect(filter.push(released)).toEqual(Buffer.concat([held, released]));
    expect(filter.push(held.subarray(0, 0))).toHaveLength(0);
  });

  it('masks the beginning of a key behind which the stream ends', () => {
    const out = through([eventOf({ content: KEY.slice(0, 10) }), eventOf({ content: KEY.slice(10, -2) })]);
    expect(textOf(out, 'content')).toBe('*'.repeat(KEY.length - 2));
  });

  it('holds a megabyte at most', () => {
    const filter = new SseSecrets(secrets);
    let out = filter.push(Buffer.from(eventOf({ content: 'sk-canary-' }))).length;
    expect(out).toBe(0);
    const other = Buffer.from(eventOf({ content: 'x'.repeat(10_000) }, 1));
    for (let i = 0; i < 110; i++) out += filter.push(other).length;
    expect(out).toBeGreaterThan(1024 * 1024);
  });
});
