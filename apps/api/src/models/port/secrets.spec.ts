import fc from 'fast-check';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { SecretByteMask, SecretMask, Secrets } from './secrets.ts';

const KEY = "sk-proj-Ab/c+9_канар ейка!&('z*')=";
const secrets = Secrets.of(KEY);
const inSmallLetters = (text: string) => text.replace(/%../g, (code) => code.toLowerCase());
const strictly = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The ways in which a server may repeat its credentials. */
const ECHOES: [string, string][] = [
  ['raw', `Incorrect API key provided: ${KEY}.`],
  ['in a header', JSON.stringify({ authorization: `Bearer ${KEY}` })],
  ['in PHP’s JSON', JSON.stringify({ key: KEY }).replaceAll('/', '\\/')],
  ['in base64', base64(KEY)],
  ['in base64 with one byte before', base64(`:${KEY}:x`)],
  ['in base64 with two bytes before', base64(`u:${KEY}`)],
  ['in base64url', Buffer.from(`Bearer ${KEY}`).toString('base64url')],
  ['in an address', `https://models.test/?key=${encodeURIComponent(KEY)}&x=1`],
  ['in an address, in small letters', inSmallLetters(encodeURIComponent(KEY))],
  ['in an address, encoded strictly', `/?key=${strictly(KEY)}&x=1`],
  ['in an address, as a form writes it', `/?${new URLSearchParams({ key: KEY }).toString()}&x=1`],
  ['twice', `${KEY}${KEY} and ${KEY}`],
  ['after its own beginning', `${KEY.slice(0, 12)}${KEY}${KEY.slice(0, 5)}`],
];

function through(text: string, cuts: number[], known = secrets): string {
  const mask = new SecretMask(known);
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  return (
    places
      .slice(1)
      .map((end, i) => mask.push(text.slice(places[i], end)))
      .join('') + mask.end()
  );
}

/** Whether a text still holds the key, but for a few characters at its borders. */
function tells(text: string): boolean {
  const forms = [KEY, KEY.replaceAll('/', '\\/'), base64(KEY), encodeURIComponent(KEY)];
  forms.push(inSmallLetters(encodeURIComponent(KEY)), strictly(KEY));
  forms.push(new URLSearchParams({ '': KEY }).toString().slice(1));
  const shifted = [base64(`u:${KEY}`).slice(4), base64(`:${KEY}`).slice(4)];
  return [...forms, ...shifted].some((form) => text.includes(form.slice(4, -4)));
}

describe('Secrets', () => {
  it.each(ECHOES)('are masked %s, wherever the text is cut', (_, echo) => {
    expect(tells(echo)).toBe(true);
    expect(secrets.isIn(echo)).toBe(true);
    expect(tells(secrets.mask(echo))).toBe(false);
    for (let cut = 0; cut <= echo.length; cut++) {
      const out = through(echo, [cut]);
      expect(tells(out)).toBe(false);
      expect(out).toHaveLength(echo.length);
    }
    const all = through(
      echo,
      Array.from({ length: echo.length }, (_, i) => i),
    );
    expect(tells(all)).toBe(false);
  });

  it('are masked in every mixture of echoes and cuts, and nothing else is', () => {
    const word = fc.oneof(
      fc.constantFrom(...ECHOES.map(([, echo]) => echo), KEY.slice(0, 9), 'sk-', 'c2st', 's'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), (words, cuts) => {
        const text = words.join('');
        const out = through(text, cuts);
        expect(out).toHaveLength(text.length);
        expect(tells(out)).toBe(false);
        if (!secrets.isIn(text)) {
          // The beginning of a secret with which a text ends is masked as well.
          const end = text.length - secrets.longest;
          expect(out.slice(0, Math.max(0, end))).toBe(text.slice(0, Math.max(0, end)));
        }
      }),
    );
  });

  it('hold nothing back of ordinary text', () => {
    const mask = new SecretMask(secrets);
    for (const word of ['Ask', ' a', ' risk', ' s', 'k', '-', ' c2s', ' Bearer', ' u']) {
      expect(mask.push(word)).toBe(word);
    }
    expect(mask.push('sk-p')).toBe('');
    expect(mask.push('lan')).toBe('sk-plan');
    expect(mask.end()).toBe('');
  });

  it('are not placeholders', () => {
    for (const known of [Secrets.of(null), Secrets.of('none'), Secrets.of('')]) {
      expect(through('none', [1, 2, 3], known)).toBe('none');
      expect(known.isIn('none')).toBe(false);
    }
  });

  it('are masked in bytes, which stay unchanged without a secret', () => {
    const inBytes = secrets.inBytes();
    const bytes = Buffer.from(`{"ключ":"${KEY}","x":"ж"}`);
    const masked = Buffer.from(bytes.toString().replace(KEY, '*'.repeat(Buffer.byteLength(KEY))));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const mask = new SecretByteMask(inBytes);
      const out = Buffer.concat([
        mask.push(bytes.subarray(0, cut)),
        mask.push(bytes.subarray(cut)),
        mask.end(),
      ]);
      expect(out).toHaveLength(bytes.length);
      expect(out.toString().slice(-8)).toBe(masked.toString().slice(-8));
      expect(tells(out.toString())).toBe(false);
    }
    const plain = Buffer.from('data: {"content":"Grüße"}\n\n');
    expect(new SecretByteMask(inBytes).push(plain)).toBe(plain);
  });

  it('cost linear time, even if a server sends only prefixes', async () => {
    const mask = new SecretMask(Secrets.of('ab'.repeat(2_000) + 'c'));
    const spent = await cpuMsOf(() => {
      for (let i = 0; i < 300; i++) mask.push('ab'.repeat(8_000));
    });
    expect(spent).toBeLessThan(10_000);
  });
});
