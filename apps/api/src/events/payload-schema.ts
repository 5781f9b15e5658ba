import { createHash } from 'node:crypto';
import vm from 'node:vm';
import { Injectable } from '@nestjs/common';
import type { JsonSchema } from '@platform/contracts';
import { _, type ErrorObject, type KeywordCxt, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { canonicalJson } from '../infra/json.ts';
import { copySchema } from './schema-copy.ts';
import {
  BudgetExceeded,
  chargeFor,
  COST,
  hasUniqueItems,
  linearPattern,
  withinBudget,
  type Cost,
} from './validation-budget.ts';

/** Schemas are accepted if they compile in this time, and compiled again with a wide margin. */
const CHECK_MS = 1_000;
const COMPILE_MS = 10_000;
const MAX_COMPILED = 500;
/** More would not fit in a message. */
const MAX_PROBLEMS = 1_000;
const MAX_LISTED_VALUES = 200;

/** Identifies a JSON value, whatever the order of its keys. */
export function hashJson(value: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(value)).digest();
}

const metaSchema = new Ajv2020({ strict: false, logger: false, allErrors: true });

/** Returns the problems of a payload schema, each with its JSON pointer; none if payloads can be validated against it. */
export function checkSchema(schema: unknown, pointer: string): string[] {
  try {
    return withinTime(CHECK_MS, () => findProblems(schema, pointer));
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return [`${pointer} takes too long to compile`];
    return [`${pointer} cannot be compiled: ${message}`];
  }
}

function findProblems(schema: unknown, pointer: string): string[] {
  const copy = copySchema(schema, pointer);
  if (copy.problems.length > 0) return copy.problems;
  if (!metaSchema.validateSchema(copy.schema as JsonSchema))
    return (metaSchema.errors ?? [])
      .slice(0, MAX_PROBLEMS)
      .map(({ instancePath, message }) => `${pointer}${instancePath} ${message}`);
  compile(copy.schema as JsonSchema);
  return [];
}

/** Validates payloads. A schema is compiled once for its hash, so that a process never uses an outdated one. */
@Injectable()
export class PayloadSchemas {
  /** The most recently used last. */
  private readonly compiled = new Map<string, ValidateFunction>();

  /** Returns every problem of a payload, with its path; none if it is valid. `hash` identifies the schema. */
  validate(schema: JsonSchema, hash: Buffer, payload: Record<string, unknown>): string[] {
    const validate = this.get(schema, hash);
    try {
      return withinBudget(() => validate(payload)) ? [] : describeErrors(validate.errors ?? []);
    } catch (error) {
      if (error instanceof BudgetExceeded) return ['payload takes too long to validate against the schema'];
      throw error;
    } finally {
      validate.errors = null;
    }
  }

  private get(schema: JsonSchema, hash: Buffer): ValidateFunction {
    const key = hash.toString('base64');
    const validate = this.compiled.get(key) ?? compileStored(schema);
    this.compiled.delete(key);
    this.compiled.set(key, validate);
    const [oldest] = this.compiled.keys();
    if (this.compiled.size > MAX_COMPILED && oldest !== undefined) this.compiled.delete(oldest);
    return validate;
  }
}

function compileStored(schema: JsonSchema): ValidateFunction {
  return withinTime(COMPILE_MS, () => compile(copySchema(schema, '').schema as JsonSchema));
}

/** Ends work that takes too long, even a busy loop: the watchdog is a thread of its own. */
function withinTime<T>(timeout: number, work: () => T): T {
  return vm.runInNewContext('work()', { work }, { timeout }) as T;
}

/** With a compiler of its own, so that schemas share nothing. */
function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({
    // Also makes the code of an object with many properties flat; otherwise each is nested in the one before.
    allErrors: true,
    strict: false,
    validateSchema: false,
    // Copies of a schema in each of its references could make a small schema large.
    inlineRefs: false,
    // A key that every object inherits is not a key of the payload.
    ownProperties: true,
    logger: false,
    code: { regExp: linearPattern, optimize: false },
  });
  formats.default(ajv);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (wanted: boolean, items: unknown[]) => !wanted || hasUniqueItems(items, canonicalJson),
  });
  ajv.addKeyword({
    keyword: COST,
    before: '$ref',
    code: (cxt: KeywordCxt) => {
      const charge = cxt.gen.scopeValue('func', { ref: chargeFor(cxt.schema as Cost) });
      cxt.gen.code(_`${charge}(${cxt.data})`);
    },
  });
  return ajv.compile(schema);
}

function describeErrors(errors: ErrorObject[]): string[] {
  const problems = new Set<string>();
  for (const error of errors) {
    problems.add(describeError(error));
    if (problems.size === MAX_PROBLEMS) break;
  }
  return [...problems];
}

function describeError({ instancePath, keyword, params, message }: ErrorObject): string {
  const path = `payload${instancePath.split('/').slice(1).map(segment).join('')}`;
  const { missingProperty, additionalProperty, unevaluatedProperty, allowedValues, allowedValue } =
    params as Record<string, unknown>;
  switch (keyword) {
    case 'required':
      return `${path}${segment(String(missingProperty))} is required`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${path}${segment(String(additionalProperty ?? unevaluatedProperty))} is not a known field`;
    case 'enum':
      return `${path} must be one of ${listed(allowedValues)}`;
    case 'const':
      return `${path} must be ${listed(allowedValue)}`;
    default:
      return `${path} ${message ?? 'is invalid'}`;
  }
}

/** A member of a path: `.name`, or `[3]`. */
function segment(escaped: string): string {
  const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^\d+$/.test(key) ? `[${key}]` : `.${key}`;
}

function listed(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_LISTED_VALUES ? `${text.slice(0, MAX_LISTED_VALUES).toWellFormed()}…` : text;
}
