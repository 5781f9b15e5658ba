import { parseForm } from './multipart-form.ts';

/** A form with this many empty fields, separated by `a`. */
const formOf = (fields: number) =>
  Buffer.from(`${'--a\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n'.repeat(fields)}--a--\r\n`);

describe('parseForm', () => {
  it.each(['multipart/form-data; boundary=a', 'Multipart/Form-Data; charset=utf-8; Boundary="a"'])(
    'reads at most as many fields as allowed: %s',
    async (contentType) => {
      expect((await parseForm(formOf(3), contentType, 3)).getAll('x')).toHaveLength(3);
      await expect(parseForm(formOf(4), contentType, 3)).rejects.toThrow('at most 3 fields');
    },
  );

  it.each([
    'multipart/form-data; xboundary=b; boundary=a',
    'multipart/form-data; boundary=b; boundary=a',
    'multipart/form-data; boundary=a; boundary=b',
    'multipart/form-data; x="boundary=b"; boundary=a',
    'multipart/form-data; boundary="a\\b"',
    'multipart/form-data; boundary="\\a"',
    'multipart/form-data; boundary =b; boundary=a',
  ])('counts the fields that the parser separates: %s', async (contentType) => {
    await expect(parseForm(formOf(4), contentType, 3)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('reads no headers of any length, which take the parser long', async () => {
    const formWith = (attributes: number) =>
      Buffer.from(
        `--a\r\nContent-Disposition: form-data; name="x"${'; a=b'.repeat(attributes)}\r\n\r\n\r\n--a--\r\n`,
      );
    const type = 'multipart/form-data; boundary=a';
    expect((await parseForm(formWith(1_000), type, 3)).getAll('x')).toEqual(['']);
    await expect(parseForm(formWith(100_000), type, 3)).rejects.toThrow('at most 16384 bytes');
  });

  it.each([
    ['application/x-www-form-urlencoded; boundary=a', Buffer.from('x=1&'.repeat(4))],
    ['text/plain; boundary=a', formOf(1)],
  ])('reads no other form, whose fields it does not count: %s', async (contentType, body) => {
    await expect(parseForm(body, contentType, 3)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
