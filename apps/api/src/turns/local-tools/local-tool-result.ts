import { invalid } from '../../infra/errors/app-error.ts';
import type { LocalToolResult } from '../records/local-tool-call.store.ts';
import type { LocalToolResultDto } from './local-tools.dto.ts';

/** The result of a body. Null is a valid `result`, so the keys of the body decide which field is given. */
export function localToolResult(dto: LocalToolResultDto, body: object): LocalToolResult {
  const given = ['result', 'error', 'denied'].filter((key) => Object.hasOwn(body, key));
  if (given.length !== 1) throw invalid('The body must have exactly one of result, error and denied');
  if (dto.error !== undefined) return { error: dto.error };
  if (dto.denied !== undefined) return { denied: true, reason: dto.reason ?? null };
  return { result: dto.result ?? null };
}
