import { Secrets } from '../../models/port/secrets.ts';
import { MAX_RESPONSE_BYTES, readStart, toText, writtenForms } from './webhook-response.ts';

const SECRET = 'whsec_MfKQ9r8GKY/rTwjUPD8ILPZIo2+aLaSw01234567890=';
const secrets = Secrets.of(...writtenForms(SECRET));
const text = (body: string | Buffer) => toText(Buffer.from(body as string), secrets);

describe('the response of an endpoint', () => {
  it('is read to its limit and no further, and as far as it arrives', async () => {
    let taken = 0;
    async function* endless() {
      for (;;) {
        taken += 1;
        yield Promise.resolve(Buffer.alloc(1_000, 'x'));
      }
    }
    expect((await readStart(endless())).toString()).toBe('x'.repeat(MAX_RESPONSE_BYTES));
    expect(taken).toBe(3);
    async function* broken() {
      yield Promise.resolve(Buffer.from('Thank'));
      await Promise.reject(new Error('The connection broke'));
    }
    expect((await readStart(broken())).toString()).toBe('Thank');
  });

  it('is text without secrets, also if one is cut, and without control characters', () => {
    expect(text(`env: SECRET=${SECRET}, KEY=${SECRET.slice(6)}`)).not.toMatch(/MfKQ|LaSw/);
    expect(text(`SECRET=${SECRET.slice(0, -4)}`)).not.toContain('MfKQ');
    const key = Buffer.from(SECRET.slice(6), 'base64');
    const written = [key.toString('base64url'), key.toString('hex'), `${SECRET.slice(6, -1)}\\u003d`];
    expect(text(written.join())).toMatch(/^\*+,\*+,\*+\\u003d$/);
    expect(text('a\r\nb\tc\u0000\u001b[31m\u202ed')).toBe('a\nb\tc\uFFFD\uFFFD[31m\uFFFDd');
    expect(text('👨\u200d👩\u200d👧 می\u200cخواهم')).toBe('👨\u200d👩\u200d👧 می\u200cخواهم');
    expect(text(Buffer.from('Größe 👍').subarray(0, -2))).toBe('Größe ');
    expect(text(Buffer.from([0xff, 0xfe, 0x41]))).toBe('\uFFFD\uFFFDA');
  });
});
