import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, jest } from '@jest/globals';
import { formatCurl, formatFetch } from './invoke-code.ts';

const input = { note: `it's $HOME "now" \`id\` \\ !!\n端`, ['__proto__']: { deep: [1, null] } };
const request = { baseUrl: 'https://platform.example.com', toolId: 't1', method: 'getOrder', input };
const url = 'https://platform.example.com/api/tools/t1/methods/getOrder/invoke';

describe('formatCurl', () => {
  it('is one command for a shell, whatever the input contains', () => {
    const script = `curl() { printf '%s\\0' "$@"; }\n${formatCurl(request)}`;
    const shell = { env: { PLATFORM_API_KEY: 'pk_1' }, encoding: 'utf8' } as const;
    const sent = execFileSync('/bin/sh', ['-c', script], shell).split('\0').slice(0, -1);
    const body = sent.pop() ?? '';
    expect(sent).toEqual([
      url,
      '-H',
      'Authorization: Bearer pk_1',
      '-H',
      'Content-Type: application/json',
      '-d',
    ]);
    expect(JSON.parse(body)).toEqual({ input: JSON.parse(JSON.stringify(input)) });
  });
});

describe('formatFetch', () => {
  it('sends the same request when it is run', async () => {
    const fetch = jest.fn(async (_url: string, _init: { headers: object; body: string }) => ({
      json: () => Promise.resolve({ status: 200, output: 'shipped' }),
    }));
    const log = jest.fn();
    const globals = { fetch, console: { log }, process: { env: { PLATFORM_API_KEY: 'pk_1' } } };
    await (runInNewContext(`(async () => {${formatFetch(request)}})()`, globals) as Promise<void>);
    const [sentUrl, sent] = fetch.mock.calls[0] ?? [];
    expect(sentUrl).toBe(url);
    expect(sent).toMatchObject({ method: 'POST', headers: { Authorization: 'Bearer pk_1' } });
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ input: { note: input.note } });
    expect(log).toHaveBeenCalledWith(200, 'shipped');
  });
});
