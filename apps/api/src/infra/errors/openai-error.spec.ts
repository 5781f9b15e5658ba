import { ERROR_STATUS, type ErrorCode } from '@platform/contracts';
import { AppError } from './app-error.ts';
import { openAiBody } from './openai-error.ts';

describe('openAiBody', () => {
  it.each<[ErrorCode, string, string]>([
    ['VALIDATION_ERROR', 'invalid_request_error', 'invalid_request'],
    ['UNAUTHORIZED', 'invalid_request_error', 'invalid_api_key'],
    ['INSUFFICIENT_TOKENS', 'insufficient_quota', 'insufficient_quota'],
    ['NOT_FOUND', 'invalid_request_error', 'unknown_url'],
    ['PAYLOAD_TOO_LARGE', 'invalid_request_error', 'request_too_large'],
    ['RATE_LIMITED', 'requests', 'rate_limit_exceeded'],
    ['SERVER_ERROR', 'server_error', 'internal_error'],
    ['UNAVAILABLE', 'server_error', 'service_unavailable'],
  ])('tells %s as %s, %s', (ours, type, code) => {
    expect(openAiBody(new AppError(ours, 'Why'))).toEqual({
      error: { message: 'Why', type, code, param: null },
    });
  });

  it('tells a code and a field of its own', () => {
    const error = new AppError('NOT_FOUND', 'Why', { openai: { code: 'model_not_found', param: 'model' } });
    const type = 'invalid_request_error';
    expect(openAiBody(error)).toEqual({
      error: { message: 'Why', type, code: 'model_not_found', param: 'model' },
    });
  });

  it('has words for every code', () => {
    for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
      expect(openAiBody(new AppError(code, 'Why')).error.type).toMatch(/^[a-z_]+$/);
    }
  });
});
