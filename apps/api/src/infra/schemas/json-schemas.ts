import vm from 'node:vm';
import type { JsonSchema } from '@platform/contracts';
import { _, str, type KeywordCxt, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { joinProblems } from '../errors/error-message.ts';
import { cpuMsSince } from '../runtime/cpu-time.ts';
import { canonicalJson } from '../runtime/json.ts';
import { copySchema, type SchemaLimits } from './schema-copy.ts';
import { boundErrors, describeErrors, MAX_PROBLEMS } from './schema-errors.ts';
import {
  BudgetExceeded,
  chargeError,
  chargeFor,
  COST,
  hasUniqueItems,
  isBoundedMultipleOf,
  linearPattern,
  withinBudget,
  type Cost,
} from './validation-budget.ts';

/** Schemas are accepted if they compile in this time, and compiled again with a wide margin. */
const CHECK_MS = 1_000;
const COMPILE_MS = 10_000;
const MAX_COMPILED = 500;
/** A schema that does not compile is tried again later, because the machine may have been slow. */
const RETRY_MS = 60_000;

const metaSchema = new Ajv2020({ strict: false, logger: false, allErrors: true });

/** Returns the problems of a schema, each with its JSON pointer; none if values can be validated against it. */
export function checkSchema(schema: unknown, pointer: string, limits: SchemaLimits): string[] {
  // Compiles the meta-schema at the first call, outside of the limit: interrupted, it would reject all schemas from then on.
  void metaSchema.validateSchema({});
  try {
    return withinCpuTime(CHECK_MS, COMPILE_MS, () => findProblems(schema, pointer, limits));
  } catch (error) {
    const { message } = error as { message: string };
    if (isTimeout(error)) return [`${pointer} takes too long to compile`];
    return [`${pointer} cannot be compiled: ${message}`];
  }
}

function findProblems(schema: unknown, pointer: string, limits: SchemaLimits): string[] {
  const copy = copySchema(schema, pointer, limits);
  if (copy.problems.length > 0) return copy.problems;
  if (!metaSchema.validateSchema(copy.schema as JsonSchema))
    return (metaSchema.errors ?? [])
      .slice(0, MAX_PROBLEMS)
      .map(({ instancePath, message }) => `${pointer}${instancePath} ${message}`);
  compile(copy.schema as JsonSchema);
  return [];
}

export interface SchemaCache {
  /** The most bytes of schemas, as JSON, that are kept compiled. Their code takes about forty times as much. */
  bytes?: number;
  /** Milliseconds that a compilation can take. It blocks the process, so it must be short unless schemas are checked. */
  compileMs?: number;
}

/** Validates values. A schema is compiled once for its key, so that a process never uses an outdated one. */
export class JsonSchemas {
  /** The most recently used last. */
  private readonly compiled = new Map<string, Compiled>();
  private bytes = 0;

  constructor(
    private readonly limits: SchemaLimits,
    private readonly cache: SchemaCache = {},
  ) {}

  /**
   * Returns every problem of a value, with its path below `root`; none if it is valid. `key` identifies the schema.
   * Throws if the schema cannot be compiled.
   */
  validate(schema: JsonSchema, key: string, value: unknown, root: string): string[] {
    const { validate } = this.get(schema, key);
    if (validate instanceof Failure) throw validate.error;
    try {
      return withinBudget(() => validate(value)) ? [] : describeErrors(validate.errors ?? [], root);
    } catch (error) {
      if (error instanceof BudgetExceeded) return [`${root} takes too long to validate against the schema`];
      throw error;
    } finally {
      validate.errors = null;
    }
  }

  private get(schema: JsonSchema, key: string): Compiled {
    const known = this.compiled.get(key);
    const isOutdated = known?.validate instanceof Failure && known.validate.retryAt < performance.now();
    if (known !== undefined) this.remove(key, known);
    const compiled = known === undefined || isOutdated ? this.compile(schema) : known;
    this.compiled.set(key, compiled);
    this.bytes += compiled.bytes;
    this.removeOldest();
    return compiled;
  }

  private removeOldest(): void {
    const { bytes = Infinity } = this.cache;
    for (const [key, compiled] of this.compiled) {
      if (this.compiled.size <= MAX_COMPILED && (this.bytes <= bytes || this.compiled.size === 1)) return;
      this.remove(key, compiled);
    }
  }

  private remove(key: string, { bytes }: Compiled): void {
    this.compiled.delete(key);
    this.bytes -= bytes;
  }

  private compile(schema: JsonSchema): Compiled {
    const bytes = Buffer.byteLength(JSON.stringify(schema));
    try {
      const validate = withinTime(this.cache.compileMs ?? COMPILE_MS, () => {
        const copy = copySchema(schema, 'the schema', this.limits);
        if (copy.problems.length > 0) throw new Error(joinProblems(copy.problems));
        return compile(copy.schema as JsonSchema);
      });
      return { validate, bytes };
    } catch (error) {
      return { validate: new Failure(error, performance.now() + RETRY_MS), bytes: 0 };
    }
  }
}

interface Compiled {
  validate: ValidateFunction | Failure;
  /** Of the schema as JSON. */
  bytes: number;
}

/** Why a schema cannot be compiled. */
class Failure {
  constructor(
    readonly error: unknown,
    /** By the clock of `performance.now()`. */
    readonly retryAt: number,
  ) {}
}

/** Ends work that takes too long, even a busy loop: the watchdog is a thread of its own. */
function withinTime<T>(timeout: number, work: () => T): T {
  return vm.runInNewContext('work()', { work }, { timeout }) as T;
}

/** As `withinTime`, but of processor time: work that a busy machine interrupted is tried once more, for at most `mostMs`. */
function withinCpuTime<T>(cpuMs: number, mostMs: number, work: () => T): T {
  const before = process.threadCpuUsage();
  try {
    return withinTime(cpuMs, work);
  } catch (error) {
    if (!isTimeout(error) || cpuMsSince(before) > 0.8 * cpuMs) throw error;
    const again = process.threadCpuUsage();
    const result = withinTime(mostMs, work);
    if (cpuMsSince(again) > cpuMs) throw error;
    return result;
  }
}

const isTimeout = (error: unknown) => (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

class Compiler extends Ajv2020 {
  /** Called by the code that `boundErrors` returns. */
  readonly chargeError = chargeError;
}

/** With a compiler of its own, so that schemas share nothing. */
function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Compiler({
    // Also makes the code of an object with many properties flat; otherwise each is nested in the one before.
    allErrors: true,
    strict: false,
    // Infinity, which JSON spells 1e400, is no number.
    strictNumbers: true,
    validateSchema: false,
    // Copies of a schema in each of its references could make a small schema large.
    inlineRefs: false,
    // A key that every object inherits is not a key of the value.
    ownProperties: true,
    logger: false,
    code: { regExp: linearPattern, optimize: false, process: boundErrors },
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
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: { message: ({ schema }) => str`must be a multiple of ${schema as number}` },
    validate: isBoundedMultipleOf,
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
