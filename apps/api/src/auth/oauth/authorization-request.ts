import { OAUTH_SCOPES, type OAuthScope } from '@platform/contracts';
import { isText } from '../../infra/requests/text.ts';

const MAX_STATE = 2_000;
/** The SHA-256 of a code verifier (RFC 7636). */
const CHALLENGE = /^[\w-]{43}$/;
const VERIFIER = /^[\w.~-]{43,128}$/;
const NAMES = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'request',
  'request_uri',
] as const;

export type Parameters<Name extends string> = Partial<Record<Name, string>>;
export type AuthorizationParameters = Parameters<(typeof NAMES)[number]>;

/** What is wrong with a request, in the words of RFC 6749 and RFC 8707. */
export interface RequestProblem {
  error: 'invalid_request' | 'unsupported_response_type' | 'invalid_target';
  message: string;
}

/** Reads the query that a client sends a person with. Returns null if a parameter is repeated or cannot be stored. */
export function readQuery(query: string): AuthorizationParameters | null {
  const given = new URLSearchParams(query);
  const parameters: AuthorizationParameters = {};
  for (const name of NAMES) {
    const [value, ...others] = given.getAll(name);
    if (others.length > 0 || (value !== undefined && !isText(value))) return null;
    if (value !== undefined && value !== '') parameters[name] = value;
  }
  return parameters;
}

/** Checks what a client may learn about: its id and the address of its redirect are known to be right. */
export function findProblem(parameters: AuthorizationParameters): RequestProblem | null {
  const { response_type: type, response_mode: mode = 'query', state = '' } = parameters;
  const problem = (message: string, error: RequestProblem['error'] = 'invalid_request') => ({
    error,
    message,
  });
  if (type === undefined) return problem('response_type is missing');
  if (type !== 'code') return problem('response_type must be code', 'unsupported_response_type');
  if (mode !== 'query') return problem('response_mode must be query');
  if (parameters.request !== undefined || parameters.request_uri !== undefined)
    return problem('request and request_uri are not supported');
  if (parameters.code_challenge_method !== 'S256')
    return problem('code_challenge_method must be S256 (PKCE)');
  if (!CHALLENGE.test(parameters.code_challenge ?? ''))
    return problem('code_challenge must be the SHA-256 of a code verifier, in base64url (PKCE)');
  if (state.length > MAX_STATE) return problem(`state must have at most ${MAX_STATE} characters`);
  if (parameters.resource === undefined)
    return problem('resource must be the address of the MCP server of a space', 'invalid_target');
  return null;
}

/** The known ones of the scopes that a client asks for; all of them if it names none that is known. */
export function readScopes(scope: string | undefined): OAuthScope[] {
  const asked = (scope ?? '').slice(0, 1_000).split(' ');
  const known = OAUTH_SCOPES.filter((each) => asked.includes(each));
  return known.length > 0 ? known : [...OAUTH_SCOPES];
}

/** Whether a text has the form of a code verifier. */
export const isVerifier = (value: string | undefined): value is string => VERIFIER.test(value ?? '');
