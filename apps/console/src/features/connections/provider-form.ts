import type {
  ConnectionPreset,
  ConnectionProvider,
  ConnectionProviderKind,
  CreateConnectionProviderRequest,
  DiscoveredProvider,
  OAuthClientAuth,
  OAuthTokenFormat,
} from '@platform/contracts';

/** A provider as a form edits it: lists are texts, and what is absent is empty. */
export interface ProviderValues {
  name: string;
  kind: ConnectionProviderKind;
  origins: string;
  placement?: { in: 'header' | 'query' | 'cookie'; name: string };
  clientSecret?: string;
  testUrl?: string;
  oauth?: {
    issuer?: string;
    authorizationEndpoint?: string;
    tokenEndpoint: string;
    revocationEndpoint?: string;
    resource?: string;
    clientId: string;
    clientAuth: OAuthClientAuth;
    scopes: string;
    tokenFormat: OAuthTokenFormat;
  };
}

/** What the form has no fields for. */
export interface HiddenSettings {
  parameters: Record<string, string>;
  sendsIssuer: boolean;
}

type Settings = Omit<ConnectionPreset['oauth'], never> & { clientId?: string };

export const NEW_PROVIDER: ProviderValues = {
  name: '',
  kind: 'oauth2',
  origins: '',
  placement: { in: 'header', name: 'X-Api-Key' },
  // Each field, so that nothing stays of what was chosen before.
  testUrl: '',
  oauth: {
    issuer: '',
    authorizationEndpoint: '',
    tokenEndpoint: '',
    revocationEndpoint: '',
    resource: '',
    clientId: '',
    clientAuth: 'basic',
    scopes: '',
    tokenFormat: 'form',
  },
};

export function fromProvider(provider: ConnectionProvider): ProviderValues {
  const { name, kind, origins, placement, testUrl, oauth } = provider;
  return {
    ...NEW_PROVIDER,
    name,
    kind,
    origins: origins.join('\n'),
    testUrl: testUrl ?? '',
    ...(placement !== null && { placement }),
    ...(oauth !== null && { oauth: fromSettings(oauth) }),
  };
}

export function fromPreset({ name, origins, testUrl, oauth }: ConnectionPreset): ProviderValues {
  return {
    ...NEW_PROVIDER,
    name,
    origins: origins.join('\n'),
    testUrl: testUrl ?? '',
    oauth: fromSettings(oauth),
  };
}

export function fromDiscovery({ origins, oauth }: DiscoveredProvider, name: string): ProviderValues {
  return { ...NEW_PROVIDER, name, origins: origins.join('\n'), oauth: fromSettings(oauth) };
}

function fromSettings(settings: Settings): NonNullable<ProviderValues['oauth']> {
  const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, resource } = settings;
  const { clientId = '', clientAuth, scopes, tokenFormat } = settings;
  return {
    issuer: issuer ?? '',
    authorizationEndpoint: authorizationEndpoint ?? '',
    tokenEndpoint,
    revocationEndpoint: revocationEndpoint ?? '',
    resource: resource ?? '',
    clientId,
    clientAuth,
    scopes: scopes.join(' '),
    tokenFormat,
  };
}

/** The request for what the form has. An empty client secret is left out, which keeps the stored one. */
export function toRequest(values: ProviderValues, hidden: HiddenSettings): CreateConnectionProviderRequest {
  const { name, kind, origins, placement, clientSecret, testUrl, oauth } = values;
  const isPlaced = kind === 'key' || kind === 'header';
  return {
    name,
    kind,
    origins: origins.split(/\s+/).filter((origin) => origin !== ''),
    testUrl: testUrl || null,
    ...(isPlaced &&
      placement && { placement: kind === 'header' ? { ...placement, in: 'header' } : placement }),
    ...(kind === 'oauth2' &&
      oauth && {
        oauth: {
          ...hidden,
          issuer: oauth.issuer || null,
          authorizationEndpoint: oauth.authorizationEndpoint || null,
          tokenEndpoint: oauth.tokenEndpoint,
          revocationEndpoint: oauth.revocationEndpoint || null,
          resource: oauth.resource || null,
          clientId: oauth.clientId,
          clientAuth: oauth.clientAuth,
          scopes: oauth.scopes.split(/\s+/).filter((scope) => scope !== ''),
          tokenFormat: oauth.tokenFormat,
        },
      }),
    ...(kind === 'oauth2' && clientSecret && { clientSecret }),
  };
}
