import type { Schema } from './openai-error.schema.ts';

/** The error body of the endpoints of OAuth (RFC 6749, 5.2). */
export const OAUTH_ERROR: Schema = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', example: 'invalid_grant' },
    error_description: { type: 'string' },
  },
};
