import { expect, it } from '@jest/globals';
import type { ConnectionProvider } from '@platform/contracts';
import { fromDiscovery, fromProvider, NEW_PROVIDER, toRequest } from './provider-form.ts';

const hidden = { parameters: { access_type: 'offline' }, sendsIssuer: true };

const stored: ConnectionProvider = {
  id: 'p',
  name: 'Acme',
  kind: 'oauth2',
  preset: null,
  origins: ['https://api.acme.com', 'https://files.acme.com'],
  placement: null,
  oauth: {
    issuer: 'https://acme.com',
    authorizationEndpoint: 'https://acme.com/auth',
    tokenEndpoint: 'https://acme.com/token',
    revocationEndpoint: null,
    clientId: 'c',
    clientAuth: 'post',
    scopes: ['a', 'b'],
    resource: null,
    tokenFormat: 'form',
    ...hidden,
  },
  hasClientSecret: true,
  testUrl: null,
  callbackUrl: 'https://console/api/connections/callback',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

it('sends back what it was given, without a secret that was not entered', () => {
  const { name, kind, origins, oauth, testUrl } = stored;
  expect(toRequest(fromProvider(stored), hidden)).toEqual({ name, kind, origins, oauth, testUrl });
  expect(toRequest({ ...fromProvider(stored), clientSecret: 's' }, hidden)).toMatchObject({
    clientSecret: 's',
  });
});

it('sends only what the kind has', () => {
  const values = { ...NEW_PROVIDER, name: 'Weather', origins: ' https://a.com \n', clientSecret: 's' };
  expect(toRequest({ ...values, kind: 'bearer' }, hidden)).toEqual({
    name: 'Weather',
    kind: 'bearer',
    origins: ['https://a.com'],
    testUrl: null,
  });
  const placed = toRequest({ ...values, kind: 'header', placement: { in: 'query', name: 'X' } }, hidden);
  expect(placed.placement).toEqual({ in: 'header', name: 'X' });
});

it('keeps the name that was entered before the server was asked', () => {
  if (stored.oauth === null) throw new Error('It has one');
  const { clientId: _, ...oauth } = stored.oauth;
  const found = fromDiscovery({ origins: ['https://mcp.acme.com'], oauth }, 'My server');
  expect([found.name, found.origins, found.oauth?.scopes]).toEqual([
    'My server',
    'https://mcp.acme.com',
    'a b',
  ]);
});

it('leaves no field of what was chosen before', () => {
  const fieldsOf = ({ oauth, ...values }: object & { oauth?: object }) =>
    [...Object.keys(values), ...Object.keys(oauth ?? {})].sort();
  expect(fieldsOf(NEW_PROVIDER)).toEqual(fieldsOf(fromProvider(stored)));
});
