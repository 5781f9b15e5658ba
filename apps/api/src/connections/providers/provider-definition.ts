import { createHash } from 'node:crypto';
import {
  OAUTH_CLIENT_AUTHS,
  OAUTH_TOKEN_FORMATS,
  PLACEMENTS,
  type CreateConnectionProviderRequest,
} from '@platform/contracts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import type { OAuthSettings } from '../records/connection-provider.entity.ts';
import { originOf } from './endpoint-address.ts';

const MAX_ORIGINS = 20;
const MAX_SCOPES = 100;
const MAX_PARAMETERS = 20;
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;
/** RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
/** Set by the platform for each sign-in. */
const OWN_PARAMETERS = [
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'resource',
  'scope',
  'state',
];
/** Headers that the platform sets itself. */
const MANAGED =
  /^(?:host|content-|transfer-encoding|connection|cookie|te$|trailer|upgrade|expect|proxy-|sec-|x-platform-)/i;

export function checkOrigins(value: unknown, path: string): string[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_ORIGINS;
  if (!isList) return [`${path} must be a list of 1 to ${MAX_ORIGINS} origins`];
  return value.flatMap((origin: unknown, i) =>
    originOf(origin) === null ? [`${path}[${i}] must be an origin, such as https://api.example.com`] : [],
  );
}

export function checkPlacement(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [`${path} must be an object`];
  const problems = unknownFieldProblems(value, ['in', 'name'], path);
  if (!(PLACEMENTS as readonly unknown[]).includes(value.in))
    problems.push(`${path}.in must be one of ${PLACEMENTS.join(', ')}`);
  const { name } = value;
  if (typeof name !== 'string' || !TOKEN.test(name))
    problems.push(`${path}.name must be the name of a header or parameter`);
  else if (value.in === 'header' && MANAGED.test(name))
    problems.push(`${path}.name must not be a header that the platform sets`);
  return problems;
}

/** The addresses are checked by the service, which knows what the operator allows. */
export function checkOAuth(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [`${path} must be an object`];
  const known = [
    'issuer',
    'authorizationEndpoint',
    'tokenEndpoint',
    'revocationEndpoint',
    'clientId',
    'clientAuth',
    'scopes',
    'parameters',
    'resource',
    'tokenFormat',
    'sendsIssuer',
  ];
  const problems = unknownFieldProblems(value, known, path);
  const { clientId, clientAuth, scopes, parameters, tokenFormat, sendsIssuer } = value;
  if (!isText(clientId) || clientId.trim() === '' || clientId.length > 500)
    problems.push(`${path}.clientId must be a text of 1 to 500 characters`);
  if (clientAuth != null && !(OAUTH_CLIENT_AUTHS as readonly unknown[]).includes(clientAuth))
    problems.push(`${path}.clientAuth must be one of ${OAUTH_CLIENT_AUTHS.join(', ')}`);
  if (tokenFormat != null && !(OAUTH_TOKEN_FORMATS as readonly unknown[]).includes(tokenFormat))
    problems.push(`${path}.tokenFormat must be one of ${OAUTH_TOKEN_FORMATS.join(', ')}`);
  if (sendsIssuer != null && typeof sendsIssuer !== 'boolean')
    problems.push(`${path}.sendsIssuer must be true or false`);
  if (scopes != null && !isScopes(scopes))
    problems.push(`${path}.scopes must be a list of at most ${MAX_SCOPES} scopes without spaces`);
  if (parameters != null) problems.push(...parameterProblems(parameters, `${path}.parameters`));
  return problems;
}

function isScopes(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= MAX_SCOPES &&
    value.every((scope) => typeof scope === 'string' && SCOPE.test(scope))
  );
}

function parameterProblems(value: unknown, path: string): string[] {
  const isMap =
    isObject(value) &&
    Object.keys(value).length <= MAX_PARAMETERS &&
    Object.entries(value).every(
      ([name, text]) => TOKEN.test(name) && name !== '__proto__' && isText(text) && text.length <= 500,
    );
  if (!isMap) return [`${path} must be an object of at most ${MAX_PARAMETERS} texts`];
  return Object.keys(value)
    .filter((name) => OWN_PARAMETERS.includes(name))
    .map((name) => `${path}.${name} is set by the platform`);
}

type SentOAuth = NonNullable<CreateConnectionProviderRequest['oauth']>;

/** Checked settings with their defaults. */
export function toOAuthSettings(sent: SentOAuth): OAuthSettings {
  return {
    issuer: sent.issuer ?? null,
    authorizationEndpoint: sent.authorizationEndpoint ?? null,
    tokenEndpoint: sent.tokenEndpoint,
    revocationEndpoint: sent.revocationEndpoint ?? null,
    clientId: sent.clientId,
    clientAuth: sent.clientAuth ?? 'basic',
    scopes: sent.scopes ?? [],
    parameters: sent.parameters ?? {},
    resource: sent.resource ?? null,
    tokenFormat: sent.tokenFormat ?? 'form',
    sendsIssuer: sent.sendsIssuer ?? false,
  };
}

/** The same for the same server and client. Whatever was granted belongs to it, and must not be sent to another one. */
export function clientOf(oauth: OAuthSettings): string {
  const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, clientId, resource } = oauth;
  const parts = [issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, clientId, resource];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
