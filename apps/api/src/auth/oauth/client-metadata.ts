import { isObject } from '../../infra/runtime/json.ts';
import { isRedirectUri } from './redirect-uris.ts';

const MAX_REDIRECT_URIS = 20;
/** Of all addresses of a client together: whoever registers one is not known. */
const MAX_ADDRESSES_LENGTH = 4_000;
const MAX_CLIENT_ID = 500;
const MAX_NAME = 100;

/** What is kept of the metadata of a client. */
export interface ClientMetadata {
  name: string;
  redirectUris: string[];
}

export type Checked<T> = { value: T } | { problem: string };

/** Reads the metadata that a client registers, or that its document has. Nobody has checked the name. */
export function readClientMetadata(value: unknown, fallbackName: string): Checked<ClientMetadata> {
  if (!isObject(value)) return { problem: 'The metadata of a client must be an object' };
  const { redirect_uris: uris, client_name: name, grant_types: grants } = value;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    return { problem: `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} addresses` };
  const wrong = uris.findIndex((uri) => !isRedirectUri(uri));
  if (wrong >= 0)
    return {
      problem: `redirect_uris[${wrong}] must use https, http on a loopback address, or the scheme of a program`,
    };
  if (uris.join('').length > MAX_ADDRESSES_LENGTH)
    return { problem: `redirect_uris must have at most ${MAX_ADDRESSES_LENGTH} characters together` };
  if (Array.isArray(grants) && !grants.includes('authorization_code'))
    return { problem: 'grant_types must include authorization_code' };
  return { value: { name: displayName(name) ?? fallbackName, redirectUris: [...new Set(uris as string[])] } };
}

/** Reads the document of a client, which must be one without a secret. */
export function readClientDocument(clientId: string, value: unknown): Checked<ClientMetadata> {
  if (!isObject(value) || value.client_id !== clientId)
    return { problem: 'the client_id in it is not its own address' };
  if ('client_secret' in value) return { problem: 'it has a client_secret' };
  const method = value.token_endpoint_auth_method;
  if (method !== undefined && method !== 'none')
    return { problem: 'its token_endpoint_auth_method must be none' };
  return readClientMetadata(value, new URL(clientId).host);
}

/** Whether a client_id is the address of a document (Client ID Metadata Documents). */
export function isDocumentAddress(clientId: string): boolean {
  if (clientId.length > MAX_CLIENT_ID || /[#?\s]/.test(clientId)) return false;
  const url = URL.parse(clientId);
  if (!url || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return false;
  return url.pathname !== '/' && url.href === clientId;
}

/** Without what would change how the rest of a page reads. */
function displayName(value: unknown): string | null {
  if (typeof value !== 'string' || !value.isWellFormed()) return null;
  const name = value
    .slice(0, 10 * MAX_NAME)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return name === '' ? null : [...name].slice(0, MAX_NAME).join('');
}
