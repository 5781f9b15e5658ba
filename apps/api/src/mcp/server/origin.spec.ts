import { isAllowedOrigin } from './origin.ts';

const PUBLIC = { publicUrl: 'https://platform.example/', corsOrigins: ['https://app.example'] };
const LOCAL = { publicUrl: 'http://localhost:3000', corsOrigins: [] };

it.each([
  [undefined, PUBLIC, true],
  ['https://platform.example', PUBLIC, true],
  ['https://app.example', PUBLIC, true],
  ['https://evil.example', PUBLIC, false],
  ['http://platform.example', PUBLIC, false],
  ['https://platform.example.evil.example', PUBLIC, false],
  ['http://localhost:3000', PUBLIC, false],
  ['null', PUBLIC, false],
  ['http://127.0.0.1:8080', LOCAL, true],
  ['http://localhost.evil.example', LOCAL, false],
  ['not an origin', LOCAL, false],
])('the origin %s', (origin, config, expected) => {
  expect(isAllowedOrigin(origin, config)).toBe(expected);
});
