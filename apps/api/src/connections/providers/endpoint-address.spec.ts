import { expect, it } from '@jest/globals';
import { EndpointAddresses, originOf } from './endpoint-address.ts';

it('tokens are exchanged over https, or over http at private hosts that the operator allows', () => {
  const addresses = new EndpointAddresses(['127.0.0.1', 'keycloak:8080', '10.0.0.0/8']);
  const allowed = [
    'https://login.example.com/token',
    'https://8.8.8.8/token',
    'http://127.0.0.1:3000/token',
    'http://keycloak:8080/token',
    'http://10.1.2.3/token',
  ];
  expect(allowed.map((address) => addresses.problemOf(address))).toEqual(allowed.map(() => null));
  const refused = [
    'http://login.example.com/token',
    'http://8.8.8.8/token',
    'http://keycloak/token',
    'http://[::1]/token',
    'ftp://login.example.com',
    'https://user:password@login.example.com',
    'https://login.example.com/#fragment',
    `https://${'x'.repeat(2_000)}.com`,
    'login.example.com',
    5,
  ];
  expect(refused.filter((address) => addresses.problemOf(address) === null)).toEqual([]);
});

it('an origin has neither a path nor credentials', () => {
  expect([originOf('https://a.com/b?c#d'), originOf('file:///x'), originOf(null)]).toEqual([
    'https://a.com',
    null,
    null,
  ]);
});
