import { readOutput } from './tool-output.ts';

const read = (text: string, headers: Record<string, string> = {}) =>
  readOutput({
    bytes: Buffer.from(text, 'latin1'),
    headers: new Headers({ 'content-type': 'application/json', ...headers }),
    url: 'http://example.com/files/1',
  });

describe('the output of a response', () => {
  it('is text if its numbers would take too long to read', () => {
    const text = `[${'1e999,'.repeat(200_000)}1]`;
    expect(read(text)).toMatchObject({
      output: text,
      isRead: false,
      warnings: ['The response has too many large numbers to be read as JSON'],
    });
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['a\u0001b.pdf', 'ab.pdf'],
    ['\u{202e}fdp.exe', 'fdp.exe'],
    ['..', 'response.pdf'],
    [`${'x'.repeat(199)}\u{1f600}.pdf`, 'x'.repeat(199)],
  ])('has a name that can be stored: %s', (name, stored) => {
    const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
    const { binary } = read('%PDF', {
      'content-type': 'application/pdf',
      'content-disposition': disposition,
    });
    expect(binary?.name).toBe(stored);
  });
});
