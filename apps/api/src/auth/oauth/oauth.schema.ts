import type { ApiBodyOptions } from '@nestjs/swagger';

type Schema = Extract<ApiBodyOptions, { schema: unknown }>['schema'] & object;

const text = { type: 'string' } as const;

/** The parameters of a request for tokens, as RFC 6749 and RFC 7636 define them. */
export const TOKEN_REQUEST: Schema = {
  type: 'object',
  properties: {
    grant_type: { type: 'string', enum: ['authorization_code', 'refresh_token'] },
    client_id: text,
    code: text,
    redirect_uri: text,
    code_verifier: text,
    refresh_token: text,
    resource: { ...text, description: 'The address of the MCP server (RFC 8707).' },
  },
  required: ['grant_type', 'client_id'],
};

/** The parameters of RFC 7009. */
export const REVOCATION_REQUEST: Schema = {
  type: 'object',
  properties: { token: text, token_type_hint: text, client_id: text },
  required: ['token', 'client_id'],
};

/** What is read of the metadata of RFC 7591. */
export const REGISTRATION_REQUEST: Schema = {
  type: 'object',
  properties: {
    client_name: { ...text, example: 'My editor' },
    redirect_uris: { type: 'array', items: { ...text, example: 'http://127.0.0.1:33418/callback' } },
  },
  required: ['redirect_uris'],
  additionalProperties: true,
};
