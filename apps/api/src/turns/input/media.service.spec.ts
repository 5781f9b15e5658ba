import { jest } from '@jest/globals';
import type { ContentItem } from '@platform/contracts';
import type { GuardedHttp, GuardedRequest } from '../../infra/outgoing/guarded-http.ts';
import { MediaService } from './media.service.ts';

const MB = 1024 * 1024;
const ALL = { name: 'm', capabilities: { images: true, audio: true, files: true, tools: true } };
const TEXT_ONLY = { name: 'm', capabilities: { images: false, audio: false, files: false, tools: false } };

describe('the media of a message', () => {
  let open = 0;
  const fetch = jest.fn(async (url: string, { maxBytes = 0 }: GuardedRequest) => {
    expect(++open).toBe(1);
    await Promise.resolve();
    open--;
    const bytes = Buffer.alloc(Number(url.split('/').at(-1)) * MB);
    bytes.write('ID3');
    if (bytes.length > maxBytes) throw new Error('too large');
    return { ok: true, headers: new Headers({ 'content-type': 'text/plain' }), bytes };
  });
  const media = new MediaService({ fetch } as unknown as GuardedHttp);
  (media as unknown as { logger: object }).logger = { warn: () => undefined };
  const audio = (megabytes: number): ContentItem => ({
    type: 'audio',
    audio_url: { url: `https://example.com/${megabytes}` },
  });

  beforeEach(() => fetch.mockClear());

  it('are fetched one after the other', async () => {
    expect(await media.load([audio(10), audio(10), audio(5)], ALL)).toHaveLength(3);
  });

  it('have 25 MB in all', async () => {
    await expect(media.load([audio(10), audio(10), audio(6), audio(1)], ALL)).rejects.toThrow(
      /^contents\[2\]\.audio_url\.url could not be fetched \(at most 5242880 bytes, .*26214400 bytes in one message/,
    );
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it('are not fetched where their name tells that the model cannot take them', async () => {
    const file = (name: string): ContentItem => ({
      type: 'file',
      file_info: { url: 'https://example.com/1', name },
    });
    await expect(media.load([file('report.pdf')], TEXT_ONLY)).rejects.toThrow(
      'contents[0]: the model m does not take files',
    );
    expect(fetch).not.toHaveBeenCalled();
    expect(await media.load([file('notes')], TEXT_ONLY)).toMatchObject([{ type: 'file' }]);
  });
});
