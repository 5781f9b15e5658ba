import { jest } from '@jest/globals';
import fc from 'fast-check';
import { SecretMask, Secrets } from '../../models/port/secrets.ts';
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

interface Spelled {
  text: string;
  index: number;
  field: string;
  end: string;
  /** Around the colons and commas; a line break continues in another `data:` line. */
  space: string;
  isEscaped: boolean;
}

function spell({ text, index, field, end, space, isEscaped }: Spelled): string {
  const literal = isEscaped
    ? `"${[...text].map((one) => (one.length === 1 ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : one)).join('')}"`
    : JSON.stringify(text);
  const gap = space === '\n' ? '\ndata: ' : space;
  return `data: {"choices":[{"index":${index},"delta":{"${field}"${gap}:${gap}${literal}${gap}},"finish_reason":null}]}${end}`;
}

/** The simple way: parses every event of a stream, and masks each text as a whole. */
function parseAndMask(stream: string[]): string {
  const masks = new Map<string, SecretMask>();
  const textIn = (event: string) => {
    if (!event.startsWith('data:')) return null;
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    const chunk = JSON.parse(lines.map((line) => line.slice(5)).join('\n')) as {
      choices: [{ index: number; delta: Record<string, string> }];
    };
    const [{ index, delta }] = chunk.choices;
    const [[field, text] = ['', '']] = Object.entries(delta);
    return { chunk, delta, field, text, key: `${index} ${field}` };
  };
  const events = stream.map(textIn);
  const shown = new Map<string, string>();
  for (const event of events) {
    if (event === null) continue;
    const mask = masks.get(event.key) ?? new SecretMask(secrets);
    masks.set(event.key, mask);
    shown.set(event.key, (shown.get(event.key) ?? '') + mask.push(event.text));
  }
  for (const [key, mask] of masks) shown.set(key, (shown.get(key) ?? '') + mask.end());
  return events
    .map((event, i) => {
      if (event === null) return stream[i];
      const { chunk, delta, field, text, key } = event;
      const all = shown.get(key) ?? '';
      const part = all.slice(0, text.length);
      shown.set(key, all.slice(text.length));
      if (part === text) return stream[i];
      delta[field] = part;
      return `data: ${JSON.stringify(chunk)}\n\n`;
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

  it('sees the beginning of a key at the end of a line that a comment follows', () => {
    const event = eventOf({ content: 's' }).replace('"s"', '"s"\n: comment\ndata: ');
    // Otherwise, the id could begin a key.
    const first = event.replace('"id": "c"', '"id": "1"');
    const out = through([first, eventOf({ content: KEY.slice(1) })]);
    expect(out).not.toContain(KEY.slice(1));
    expect(out).toContain('*'.repeat(KEY.length - 1));
  });

  it('masks a key although an event ends inside one of its characters', () => {
    const key = 'a😀b😀cdef';
    const filter = new SseSecrets(Secrets.of(key));
    const events = [key.slice(0, 2), key.slice(2)].map((content) => eventOf({ content }));
    const out = Buffer.concat([...events.map((one) => filter.push(Buffer.from(one))), filter.end()]);
    expect(textOf(out.toString(), 'content')).toBe(`${key.slice(0, 2)}${'*'.repeat(key.length - 2)}`);
  });

  it('masks the same as if every event were parsed, however the events arrive', () => {
    const texts = fc.constantFrom(
      ...[
        's',
        'k',
        '-',
        'sk',
        'sk-c',
        'sk-canary',
        '-4b7e',
        '19c',
        '2',
        'c2s',
        't',
        'words',
        ' is',
        '\n',
        '"s',
      ],
      ...[
        KEY,
        KEY.slice(0, 9),
        KEY.slice(9),
        BASE64.slice(0, 7),
        BASE64.slice(7),
        '\\',
        'ü',
        'sk-canary-4b7e19c',
      ],
    );
    const events = fc.oneof(
      fc.record({
        text: texts,
        index: fc.integer({ min: 0, max: 1 }),
        field: fc.constantFrom('content', 'reasoning_content'),
        end: fc.constantFrom('\n\n', '\r\n\r\n'),
        space: fc.constantFrom('', ' ', '\n'),
        isEscaped: fc.boolean(),
      }),
      fc.constant(null),
    );
    fc.assert(
      fc.property(
        fc.array(events, { maxLength: 14 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        (given, sizes) => {
          const stream = given.map((one) => (one === null ? ': comment\n\n' : spell(one)));
          const filter = new SseSecrets(secrets);
          const out: Buffer[] = [];
          for (let at = 0, turn = 0; at < stream.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            out.push(filter.push(Buffer.from(stream.slice(at, at + size).join(''))));
            at += size;
          }
          expect(Buffer.concat([...out, filter.end()]).toString()).toBe(parseAndMask(stream));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('parses only events in which a secret may begin', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const words = ['The', ' quick', ' \n', ' Fox', ' 42', ', and', ' 😀'];
    const wordEvent = (content: string) => eventOf({ content }).replace(/"id": *"c"/, '"id":"1"');
    through([...words.map(wordEvent), ': comment\n\n', DONE], 3);
    expect(parse).toHaveBeenCalledTimes(0);
    through([' is', ' a', ' test'].map(wordEvent));
    expect(parse).toHaveBeenCalledTimes(2);
    parse.mockRestore();
  });

  it('looks at no text again and again, however many a server begins', () => {
    const filter = new SseSecrets(secrets);
    for (let i = 0; i < 3_000; i++) filter.push(Buffer.from(eventOf({ content: 'sk-' }, i)));
    const rest = eventOf({ content: `${KEY.slice(3)} end` }, 2_999);
    expect(Buffer.concat([filter.push(Buffer.from(rest)), filter.end()]).toString()).not.toContain('canary');
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
