import { Injectable, type PipeTransform } from '@nestjs/common';
import { invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { PAYLOAD_LIMITS } from '../../infra/routes/body-limit.ts';
import { deeperThan } from '../../infra/requests/json-shape.ts';
import { isObject } from '../../infra/runtime/json.ts';

const MAX_ROWS = 10_000;

/** Takes the values of a row from the parsed body unchanged: its keys are column names. */
@Injectable()
export class RowValuesPipe implements PipeTransform {
  transform(body: unknown): Record<string, unknown> {
    if (!isObject(body)) throw invalid('The body must be a JSON object with the values of the columns');
    const problems = checkRow(body, 'The row');
    if (problems.length > 0) throw invalidFor(problems);
    return body;
  }
}

/** Returns what is wrong with the rows of a batch in shape. */
export function checkBatch(rows: unknown, path: string): string[] {
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > MAX_ROWS) {
    return [`${path} must be an array of 1 to ${MAX_ROWS} rows`];
  }
  return rows.flatMap((row: unknown, i) => checkRow(row, `${path}[${i}]`));
}

/** Returns what is wrong with a row in shape. It is limited like a payload, because it may become one. */
export function checkRow(row: unknown, at: string): string[] {
  const { bytes, depth } = PAYLOAD_LIMITS;
  if (!isObject(row)) return [`${at} must be an object`];
  if (deeperThan(row, depth)) return [`${at} must not be nested deeper than ${depth} levels`];
  return Buffer.byteLength(JSON.stringify(row)) > bytes ? [`${at} must have at most ${bytes} bytes`] : [];
}
