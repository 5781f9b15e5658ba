import { Injectable } from '@nestjs/common';
import { isObject } from '../../infra/runtime/json.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { joinProblems, shortened, unknownField } from '../../infra/errors/error-message.ts';
import { JsonSchemas } from '../../infra/schemas/json-schemas.ts';
import { replaceWrittenIntegers } from './written-integers.ts';

/** Imported schemas are large, and their patterns are not ours to refuse. */
const LIMITS = { bytes: 1_048_576, depth: 64, patterns: 'optional' } as const;
/** Documents describe formats and patterns that their own servers do not keep to: a third of real responses would warn. */
const OUTPUT_LIMITS = { ...LIMITS, patterns: 'ignored' } as const;
/** Nobody has checked that they compile in time. */
const CACHE = { bytes: 5_000_000, compileMs: 1_000 };
const MAX_WARNING_BYTES = 1_000;

export interface ValidatedMethod {
  id: string;
  /** Changes with the schemas. */
  version: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  bindings: readonly { port: string }[];
  /** An MCP server receives the input as it is. */
  protocol?: 'http' | 'mcp';
}

/** Validates what methods receive and return. */
@Injectable()
export class MethodSchemasService {
  private readonly schemas = {
    input: new JsonSchemas(LIMITS, CACHE),
    output: new JsonSchemas(OUTPUT_LIMITS, CACHE),
  };

  /** Throws VALIDATION_ERROR that names every path that fails. Returns warnings. */
  validateInput(method: ValidatedMethod, input: Record<string, unknown>): string[] {
    const ports = new Set(method.bindings.map(({ port }) => port));
    // Nothing could be done with a value without a place in the request of an HTTP API.
    const unknown = method.protocol === 'mcp' ? [] : Object.keys(input).filter((name) => !ports.has(name));
    const { problems, warnings } = this.validate(method, 'input', method.inputSchema, input);
    const all = new Set([...problems, ...unknown.map((name) => unknownField(`input.${name}`))]);
    if (all.size > 0) throw invalidFor([...all]);
    return warnings;
  }

  /** Returns a warning if the output does not match. */
  validateOutput(method: ValidatedMethod, output: unknown): string[] {
    if (isEmpty(method.outputSchema)) return [];
    const { problems, warnings } = this.validate(method, 'output', method.outputSchema, output);
    if (problems.length === 0) return warnings;
    const found = `The output does not match its schema: ${joinProblems(problems)}`;
    return [shortened(found, MAX_WARNING_BYTES)];
  }

  private validate(
    { id, version }: ValidatedMethod,
    root: 'input' | 'output',
    schema: Record<string, unknown>,
    value: unknown,
  ): { problems: string[]; warnings: string[] } {
    try {
      // Integers that are written as strings are validated as the numbers next to them.
      const read = replaceWrittenIntegers(schema, value, Number);
      const problems = this.schemas[root].validate(schema, JSON.stringify([id, version]), read, root);
      return { problems, warnings: [] };
    } catch {
      // A document can have schemas that no validator compiles; its API can be called nevertheless.
      return { problems: [], warnings: [`The ${root} was not validated: its schema cannot be compiled`] };
    }
  }
}

/** Whether a method returns JSON, judged by its schema. Nothing is known without one, and a text can be anything. */
export function returnsJson({ outputSchema }: Pick<ValidatedMethod, 'outputSchema'>): boolean {
  return !isEmpty(outputSchema) && outputSchema.type !== 'string';
}

/** The schema of outputs about which the document says nothing. */
function isEmpty({ type, properties, ...rest }: Record<string, unknown>): boolean {
  const keywords = Object.keys(rest).filter(
    (keyword) => !['title', 'description', 'isPort'].includes(keyword),
  );
  const isObjectType = type === undefined || type === 'object';
  return (
    isObjectType && keywords.length === 0 && Object.keys(isObject(properties) ? properties : {}).length === 0
  );
}
