import { Injectable } from '@nestjs/common';
import type { JsonSchema } from '@platform/contracts';
import * as schemas from '../../infra/schemas/json-schemas.ts';

export const MAX_SCHEMA_BYTES = 65_536;
const LIMITS = { bytes: MAX_SCHEMA_BYTES, depth: 16, patterns: 'required' } as const;
/** Of one space, whose schemas can be as large as that, the code of 500 takes more than a gigabyte. */
const CACHE = { bytes: 5_000_000 };

/** Returns the problems of a payload schema, each with its JSON pointer; none if payloads can be validated against it. */
export function checkSchema(schema: unknown, pointer: string): string[] {
  return schemas.checkSchema(schema, pointer, LIMITS);
}

/** Validates payloads. */
@Injectable()
export class PayloadSchemasService {
  private readonly schemas = new schemas.JsonSchemas(LIMITS, CACHE);

  /** Returns every problem of a payload, with its path; none if it is valid. `hash` identifies the schema. */
  validate(schema: JsonSchema, hash: Buffer, payload: Record<string, unknown>): string[] {
    return this.schemas.validate(schema, hash.toString('base64'), payload, 'payload');
  }
}
