import type { OpenAPIObject } from '@nestjs/swagger';

export type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** The error body of OpenAI's API, which the relay sends. */
export const OPENAI_ERROR: Schema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'code', 'param'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string', example: 'invalid_request_error' },
        code: { type: 'string', nullable: true, example: 'model_not_found' },
        param: { type: 'string', nullable: true, description: 'The field that the error is about.' },
      },
    },
  },
};
