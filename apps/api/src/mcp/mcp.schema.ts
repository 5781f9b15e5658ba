import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';

type Schema = Extract<ApiBodyOptions, { schema: unknown }>['schema'] & object;

/** A message of JSON-RPC, as MCP defines it. */
export const MCP_REQUEST: Schema = {
  type: 'object',
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    method: { type: 'string', example: 'tools/list' },
    params: { type: 'object', additionalProperties: true },
  },
  required: ['jsonrpc', 'method'],
};

export const MCP_RESPONSE: ApiResponseOptions = {
  description: 'The result or the error of the request, as JSON or as Server-Sent Events',
  schema: { type: 'object', additionalProperties: true },
};
