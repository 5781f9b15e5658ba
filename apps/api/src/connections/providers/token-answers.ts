import type { GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { isObject } from '../../infra/runtime/json.ts';

type Answer = Pick<GuardedResponse, 'status' | 'bytes'>;

/** The same request as a JSON object, for servers that know no forms. */
export function toJsonRequest(
  form: string,
  headers: Record<string, string>,
): { headers: Record<string, string>; body: string } {
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type');
  return {
    headers: { ...Object.fromEntries(others), 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(Object.fromEntries(new URLSearchParams(form))),
  };
}

/**
 * The answer of a token endpoint as RFC 6749 says, for servers that say it otherwise: an error with status 200, a token
 * without a type or of a type of their own, which all are bearer tokens. Without an issuer, an ID token cannot be checked,
 * and is dropped.
 */
export function asStandard(answer: Answer, knowsIssuer: boolean): Answer {
  const { status, bytes } = answer;
  const body = status < 200 || status > 299 ? null : parse(bytes);
  if (body === null) return answer;
  if (typeof body.access_token !== 'string') {
    if (typeof body.error !== 'string' || body.error === '') return answer;
    return { status: 400, bytes: encode({ error: body.error }) };
  }
  const { id_token: idToken, ...others } = body;
  const type =
    typeof body.token_type === 'string' && /^dpop$/i.test(body.token_type) ? body.token_type : 'bearer';
  // Some servers write it as a text.
  const expires = typeof body.expires_in === 'string' ? Number(body.expires_in) : body.expires_in;
  return {
    status: 200,
    bytes: encode({
      ...others,
      token_type: type,
      ...(Number.isFinite(expires) ? { expires_in: expires } : { expires_in: undefined }),
      ...(typeof body.refresh_token === 'string' && body.refresh_token !== ''
        ? {}
        : { refresh_token: undefined }),
      ...(knowsIssuer && idToken !== undefined && { id_token: idToken }),
    }),
  };
}

function parse(bytes: Buffer): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

function encode(body: object): Buffer {
  return Buffer.from(JSON.stringify(body));
}
