import { maskUrl, secretsOfUrl } from './webhook-url.ts';

describe('maskUrl', () => {
  it.each([
    ['https://shop.example.com/hooks/orders', 'https://shop.example.com/hooks/orders', []],
    [
      'https://shop.example.com:8443/in?token=s3cr3t&a b=1#part',
      'https://shop.example.com:8443/in?token=***&a%20b=***',
      ['s3cr3t', '1'],
    ],
    [
      'https://chat.example.com/services/T024BE7LD/B0KU5J/8Kq2mPz0aVb3Wc4Xd5Ye6Zf7',
      'https://chat.example.com/services/T024BE7LD/B0KU5J/***',
      ['8Kq2mPz0aVb3Wc4Xd5Ye6Zf7'],
    ],
    [
      'https://chat.example.com/bot/01996f2e-0000-7000-8000-000000000001/send',
      'https://chat.example.com/bot/***/send',
      ['01996f2e-0000-7000-8000-000000000001'],
    ],
    ['https://shop.example.com/whsec_abcdefgh', 'https://shop.example.com/***', ['whsec_abcdefgh']],
    ['https://shop.example.com/in?8Kq2mPz0aVb3Wc4X', 'https://shop.example.com/in?***', ['8Kq2mPz0aVb3Wc4X']],
    [
      'https://shop.example.com/in?8Kq2mPz0aVb3Wc4X=1&a=b=c',
      'https://shop.example.com/in?***=***&a=***',
      ['8Kq2mPz0aVb3Wc4X', '1', 'b=c'],
    ],
    [
      'https://shop.example.com/s3cr3t%20t0ken%2Daaaa?sig=x%2Dy+z',
      'https://shop.example.com/***?sig=***',
      ['s3cr3t%20t0ken%2Daaaa', 's3cr3t t0ken-aaaa', 'x%2Dy+z', 'x-y z'],
    ],
    ['no address', '***', []],
  ])('leaves secrets out of %s', (address, shown, secrets) => {
    expect([maskUrl(address), secretsOfUrl(address)]).toEqual([shown, secrets]);
  });
});
