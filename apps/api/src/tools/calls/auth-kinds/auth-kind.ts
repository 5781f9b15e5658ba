import { invalid } from '../../../infra/errors/app-error.ts';
import type {
  ConnectionCredentials,
  ConnectionRef,
} from '../../../connections/tokens/connection-tokens.service.ts';
import type { GuardedHttp } from '../../../infra/outgoing/guarded-http.ts';
import { isHeaderValue } from '../../../infra/requests/text.ts';
import type { JsonObject } from '../../../infra/runtime/json.ts';
import { canAuthenticate, isHeaderName } from '../http-headers.ts';
import type { Pair } from '../serialize.ts';

/** What the authentication adds to a request. It replaces what the input gives for the same name. */
export interface AuthParts {
  headers: Pair[];
  /** Encoded. */
  query: Pair[];
  cookies: Pair[];
  /** What must not appear in a response: the secret, and other texts that reveal it. */
  secrets: string[];
  /** The connection that they are from. */
  connection?: ConnectionCredentials;
}

/** The call that is authenticated. */
export interface AuthCall {
  /** Reaches servers that exchange a secret for something else. */
  http: Pick<GuardedHttp, 'fetch'>;
  /** The same for calls with the same secret of the same tool: what a cache is keyed by. */
  credentialsKey: string;
  /** Returns the secret of a connection of the caller, or of the space. Throws `CallPause` if somebody must sign in first. */
  connect: (ref: ConnectionRef) => Promise<ConnectionCredentials>;
  timeoutMs: number;
  signal?: AbortSignal;
}

interface AuthField {
  /** As the API document describes it. */
  schema: { type: 'string'; enum?: string[]; nullable?: boolean };
  /** Whether requests can leave it out; it is null then. */
  isOptional?: boolean;
  /** Returns what is wrong with a value, without its path and without repeating it; null if nothing is. */
  check: (value: unknown, auth: JsonObject) => string | null;
}

/** All that differs between the ways in which tools authenticate. `A`: what is stored and shown, without the secret. */
export interface AuthKind<A extends { type: string } = { type: string } & JsonObject> {
  type: A['type'];
  fields: Record<Exclude<keyof A, 'type'>, AuthField>;
  /** Null: the tool itself has no secret. */
  secret: { field: string; check: (secret: string, auth: JsonObject) => string | null } | null;
  /**
   * Returns what authenticates a call. Not called without the secret that the kind has. Throws TOOL_ERROR for what its owner must know;
   * `OutgoingError` of the client may pass.
   */
  apply(auth: A, secret: string, call: AuthCall): Promise<AuthParts>;
}

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;

/** The name of a header or parameter. */
export function nameField(isHeader: (auth: JsonObject) => boolean): AuthField {
  return {
    schema: { type: 'string' },
    check: (value, auth) => {
      if (typeof value !== 'string' || !TOKEN.test(value)) return 'must be the name of a header or parameter';
      return isHeader(auth) && !canAuthenticate(value) ? 'must not be a header that the platform sets' : null;
    },
  };
}

export function headerSecretProblem(secret: string): string | null {
  return isHeaderValue(secret) ? null : 'must contain only what a header can carry';
}

/** What adds one header. Stored values are older than the checks of requests, so they are checked again. */
export function authHeader(name: string, value: string, secrets: string[]): AuthParts {
  if (!canAuthenticate(name))
    throw invalid(`The tool authenticates with the header ${name}, which the platform sets itself`);
  // The message must not repeat the value: it is secret.
  if (!isHeaderName(name) || !isHeaderValue(value))
    throw invalid('The credentials of the tool have characters that a header cannot carry');
  return { headers: [[name, value]], query: [], cookies: [], secrets };
}
