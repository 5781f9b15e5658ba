import { cleanText, decodeText } from './decode-text.ts';
import { htmlBlocks } from './html-blocks.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import { Unreadable } from './unreadable.ts';

const heading = (level: number, text: string) => ({ kind: 'heading', level, text });
const text = (value: string) => ({ kind: 'text', text: value });

describe('Markdown', () => {
  const blocks = (markdown: string) => [...markdownBlocks(markdown)];

  it('is cut at its headings', () => {
    expect(blocks('Intro\n# One\ntext\n\n### Three ###\n#no heading\n####### seven')).toEqual([
      text('Intro\n'),
      heading(1, 'One'),
      text('text\n\n'),
      heading(3, 'Three ###'),
      text('#no heading\n####### seven'),
    ]);
  });

  it('has no headings in code', () => {
    expect(blocks('```sh\n# comment\n```\n~~~\n```\n# no\n~~~\n# Yes')).toEqual([
      text('```sh\n# comment\n```\n~~~\n```\n# no\n~~~\n'),
      heading(1, 'Yes'),
    ]);
  });

  it('can be empty', () => {
    expect(blocks('')).toEqual([]);
    expect(blocks('#')).toEqual([heading(1, '')]);
  });
});

describe('HTML', () => {
  it('is read as headings and lines', () => {
    const page = `<!doctype html><html><head><title>Title</title><style>p{}</style></head><body><!-- no -->
      <h2>Two &lt;b&gt;<br>lines</h2><p>A  <em>b</em>c<p>d&nbsp;&eacute;&#x4f60;<ul><li>one<li>two</ul>
      <table><tr><td>x</td><td>y</td></tr></table></body></html>`;
    expect(htmlBlocks(page)).toEqual([
      heading(2, 'Two <b> lines'),
      text('A bc\nd\u00a0é你\n\none\ntwo\n\nx y'),
    ]);
  });

  it('keeps the lines of preformatted text', () => {
    expect(htmlBlocks('<pre>a\n  b</pre>c\nd')).toEqual([text('a\nb\nc d')]);
  });

  it('leaves out scripts and what belongs to them', () => {
    const page =
      'a<script>if (1 < 2) "</p>"</script>b<noscript>n</noscript><textarea>t</textarea><iframe>i</iframe><STYLE>s</STYLE>c';
    expect(htmlBlocks(page)).toEqual([text('abc')]);
  });

  it.each(['<', '<p', '<p a="', '&', '</', '<!--', '<script>', '<h1>', '\0'])('survives %j', (html) => {
    expect(() => htmlBlocks(html)).not.toThrow();
  });
});

describe('text', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);
  const utf16 = (value: string) => new Uint8Array(Buffer.from(`\ufeff${value}`, 'utf16le'));

  it('is decoded by its byte order mark, as UTF-8, or as declared', () => {
    expect(decodeText(Buffer.from('\ufeffé'), null, false).text).toBe('é');
    expect(decodeText(utf16('é你'), null, false).text).toBe('é你');
    expect(decodeText(bytes(0xe9), 'latin1', false).text).toBe('é');
    expect(decodeText(Buffer.from('é'), 'latin1', false).text).toBe('é');
    const page = Buffer.concat([Buffer.from('<meta charset="gbk">'), Buffer.from([0xc4, 0xe3])]);
    expect(decodeText(page, null, true).text).toBe('<meta charset="gbk">你');
  });

  it.each(['utf-16le', 'utf-16be'])('in %s without a mark is no text with spaces in between', (encoding) => {
    const bytes = Buffer.from('Größe;Preis\nXL;10 €', 'utf16le');
    if (encoding === 'utf-16be') bytes.swap16();
    expect(decodeText(bytes, null, false)).toEqual({ text: 'Größe;Preis\nXL;10 €', encoding: null });
  });

  it.each(['退款政策：顾客可以在三十天内退货。', 'これはテストです。', 'Größe und Übermaß. '])(
    'in UTF-8 that was cut within a character is still UTF-8: %s',
    (sentence) => {
      const whole = sentence.repeat(20);
      const cut = Buffer.from(`${whole}你`).subarray(0, -1);
      expect(decodeText(cut, null, false)).toEqual({ text: `${whole}\ufffd`, encoding: null });
    },
  );

  it.each([null, 'utf-8', 'no-such-charset'])('that is not in the charset %s cannot be read', (charset) => {
    expect(() => decodeText(bytes(0x63, 0, 1, 2, 0xe9), charset, false)).toThrow(Unreadable);
  });

  it('has neither control characters nor lone surrogates', () => {
    expect(cleanText('a\0b\x1b[1mc\td\r\ne\rf\ud800')).toBe('a b [1mc\td\ne\nf\ufffd');
  });
});
