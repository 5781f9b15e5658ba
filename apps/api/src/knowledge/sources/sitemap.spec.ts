import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { isAllowed, parseRobots } from './robots.ts';
import { readSitemap } from './sitemap.ts';

const ADDRESS = new URL('https://docs.example.com/sitemap.xml');
const read = (text: string | Buffer) => readSitemap(Buffer.from(text), ADDRESS, new AbortController().signal);
const at = (path: string) => `https://docs.example.com${path}`;
const urlset = (...urls: string[]) =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;

describe('sitemaps', () => {
  it('list pages, once each, without fragments and without their images', async () => {
    const text = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
      <url><loc> ${at('/a?x=1&amp;y=2#part')} </loc><image:image><image:loc>${at('/i.png')}</image:loc></image:image></url>
      <url><loc><![CDATA[${at('/b')}]]></loc><lastmod>2026-01-01</lastmod></url><url><loc>${at('/b#x')}</loc></url></urlset>`;
    const expected = { isIndex: false, urls: [at('/a?x=1&y=2'), at('/b')], leftOut: [], moreLeftOut: 0 };
    expect(await read(text)).toEqual(expected);
    expect(await read(gzipSync(text))).toEqual(expected);
  });

  it('list other sitemaps', async () => {
    const text = `<sitemapindex><sitemap><loc>${at('/1.xml')}</loc></sitemap></sitemapindex>`;
    expect(await read(text)).toMatchObject({ isIndex: true, urls: [at('/1.xml')] });
  });

  it.each([
    ['https://example.com/a', 'The address is at another host than the sitemap, docs.example.com.'],
    ['https://docs.example.com:8443/a', 'The address is at another host than the sitemap, docs.example.com.'],
    ['https://user@docs.example.com/a', 'This is not the address of a web page.'],
    ['javascript:alert(1)', 'This is not the address of a web page.'],
    ['/relative', 'This is not the address of a web page.'],
    [at(`/${'a'.repeat(2_048)}`), 'The address has more than 2048 characters.'],
  ])('leave out %s', async (url, reason) => {
    const { urls, leftOut } = await read(urlset(url));
    expect([urls, leftOut.map((one) => one.reason)]).toEqual([[], [reason]]);
  });

  it('keep few of the addresses that they leave out', async () => {
    const others = Array.from({ length: 150 }, (_, i) => `https://other.example/${i}`);
    const { leftOut, moreLeftOut } = await read(urlset(...others));
    expect([leftOut.length, moreLeftOut]).toEqual([100, 50]);
  });

  it.each([
    ['<html><loc>x</loc></html>', /root element must be/],
    ['', /root element must be/],
    [urlset(...Array.from({ length: 50_001 }, () => 'x')), /more than 50000 addresses/],
    [gzipSync(Buffer.alloc(11 * 1024 * 1024, 32)), /more than 10 MB/],
    [gzipSync(urlset(at('/a'))).subarray(0, 30), /damaged/],
  ])('say why they cannot be read', async (data, reason) => {
    await expect(read(data)).rejects.toThrow(reason);
  });

  it('show of what is no address only what can be stored and indexed', async () => {
    const { leftOut } = await read(urlset('a\0b', `/${'\u6f22'.repeat(2_000)}`));
    expect(leftOut.map(({ url }) => url)).toEqual(['a b', `/${'\u6f22'.repeat(499)}`]);
  });

  it('are given up when their markup is nothing but errors', async () => {
    await expect(read(`<urlset>${'<'.repeat(200_000)}`)).rejects.toThrow(
      'The markup of the document is damaged.',
    );
  });

  it('expand no entities of their own', async () => {
    const text = `<!DOCTYPE x [<!ENTITY e "/a">]>${urlset(at('/&e;'))}`;
    expect((await read(text)).urls).toEqual([at('/&e;')]);
  });
});

describe('robots.txt', () => {
  const allows = (text: string, path: string) => isAllowed(parseRobots(text), new URL(at(path)));
  const all = (...lines: string[]) => ['User-agent: *', ...lines].join('\n');

  it.each([
    ['', '/a', true],
    [all('Disallow:'), '/a', true],
    [all('Disallow: /'), '/a', false],
    [all('disallow : /a # note'), '/ab', false],
    [all('Disallow: /a', 'Allow: /a/b'), '/a/b/c', true],
    [all('Disallow: /a', 'Allow: /a'), '/a', true],
    [all('Disallow: /*.pdf$'), '/x/y.pdf', false],
    [all('Disallow: /*.pdf$'), '/x/y.pdf?z', true],
    [all('Disallow: /a*c*e'), '/abcde', false],
    [all('Disallow: /a*e*c$'), '/abcde', true],
    [all('Disallow: /ü'), '/%C3%BC', false],
    [all('Disallow: /%c3%bc'), '/ü', false],
    ['User-agent: other\nDisallow: /', '/a', true],
    ['User-agent: platform-knowledge\nDisallow: /b\n\nUser-agent: *\nDisallow: /', '/a', true],
    ['User-agent: other\nUser-agent: Platform-Knowledge/1.0\nDisallow: /', '/a', false],
  ])('%j for %s: %s', (text, path, expected) => {
    expect(allows(text, path)).toBe(expected);
  });

  it('asks for a pause', () => {
    expect(parseRobots(all('Crawl-delay: 2.5')).delaySeconds).toBe(2.5);
    expect(parseRobots(all('Crawl-delay: 86400')).delaySeconds).toBe(60);
    expect(parseRobots(all('Crawl-delay: soon')).delaySeconds).toBeNull();
  });

  it('has no rules without end', () => {
    const text = all(...Array.from({ length: 5_000 }, (_, i) => `Disallow: /${'*a'.repeat(100)}${i}`));
    const robots = parseRobots(text);
    expect(robots.rules).toHaveLength(1_000);
    expect(isAllowed(robots, new URL(at(`/${'a'.repeat(2_000)}`)))).toBe(true);
    // The length is that of what is compared with pages.
    expect(parseRobots(all(`Disallow: /${'\u00fc'.repeat(100)}`)).rules).toEqual([]);
  });
});
