import type { HttpAdapterHost } from '@nestjs/core';
import type { PlatformConfig } from '../config/platform-config.ts';
import { OwnAddressRegistry } from './own-address.registry.ts';

function own(publicUrl: string, host: string, port: number | null): (url: string) => boolean {
  const server = { address: () => (port === null ? null : { address: host, family: 'IPv4', port }) };
  const adapters = { httpAdapter: { getHttpServer: () => server } } as unknown as HttpAdapterHost;
  const address = new OwnAddressRegistry({ publicUrl, host } as PlatformConfig, adapters);
  return (url) => address.includes(new URL(url));
}

describe('OwnAddress', () => {
  it('knows the public URL, whatever the path', () => {
    const isOwn = own('https://platform.example/base', '0.0.0.0', 3000);
    expect(isOwn('https://platform.example/api/events/emit?x=1')).toBe(true);
    expect(isOwn('https://platform.example:443/')).toBe(true);
    expect(isOwn('http://platform.example/')).toBe(false);
    expect(isOwn('https://platform.example:8443/')).toBe(false);
    expect(isOwn('https://platform.example.evil.example/')).toBe(false);
  });

  it('knows the address on which it listens', () => {
    const isOwn = own('https://platform.example', '10.0.0.5', 3000);
    expect(
      ['127.0.0.1', 'localhost', '[::1]', '10.0.0.5'].map((host) => isOwn(`http://${host}:3000/`)),
    ).toEqual(Array(4).fill(true));
    expect(isOwn('http://127.0.0.1:3001/')).toBe(false);
    expect(isOwn('http://10.0.0.6:3000/')).toBe(false);
    expect(own('https://platform.example', '127.0.0.1', 80)('http://localhost/')).toBe(true);
    expect(own('https://platform.example', '127.0.0.1', null)('http://localhost:3000/')).toBe(false);
  });
});
