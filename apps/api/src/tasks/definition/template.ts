import { invalid } from '../../infra/errors/app-error.ts';
import { isObject } from '../../infra/runtime/json.ts';

/** What expressions can refer to. */
export interface TemplateScope {
  inputs: Record<string, unknown>;
  /** Null for runs that no event has started. */
  trigger: object | null;
  /** The steps that have succeeded, by id. */
  steps: Record<string, { output: unknown }>;
}

/** The most bytes of a resolved value, as JSON. */
const MAX_RESULT_BYTES = 1024 * 1024;
const MAX_EXPRESSION_LENGTH = 500;

/** Braces cannot nest, so that one pass finds every expression. */
const EXPRESSION = /\{\{([^{}]*)\}\}/g;
const ROOTS = ['inputs', 'trigger', 'steps'];

/** An expression, such as `{{steps.load.output.items.0}}`. */
interface Expression {
  /** As written, for messages. */
  text: string;
  /** Such as steps, load, output, items, 0. */
  path: string[];
}

/**
 * Replaces the expressions in the strings of a value. A string that is one expression becomes its value and keeps the
 * type; inside a longer string, objects are formatted as JSON. Values that are inserted are not expanded again, and
 * objects are inserted without being copied. Throws VALIDATION_ERROR if a value is missing, or if the result would have
 * more than 1 MB.
 */
export function resolveTemplates(value: unknown, scope: TemplateScope): unknown {
  return new Resolution(scope).resolve(value);
}

/** Returns what is wrong with the expressions of a value that a step after `earlierSteps` uses. */
export function checkTemplates(value: unknown, earlierSteps: ReadonlySet<string>): string[] {
  if (typeof value === 'string')
    return listExpressions(value).flatMap((found) => problemOf(found, earlierSteps));
  if (Array.isArray(value)) return value.flatMap((item) => checkTemplates(item, earlierSteps));
  if (!isObject(value)) return [];
  return Object.values(value).flatMap((item) => checkTemplates(item, earlierSteps));
}

/** Whether a text has expressions. */
export function hasTemplate(text: string): boolean {
  return listExpressions(text).length > 0;
}

function listExpressions(text: string): Expression[] {
  return Array.from(text.matchAll(EXPRESSION), ([found, inner = '']) => parseExpression(found, inner));
}

function parseExpression(text: string, inner: string): Expression {
  return { text, path: inner.trim().split('.') };
}

function problemOf({ text, path }: Expression, earlierSteps: ReadonlySet<string>): string[] {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    return [`has an expression of more than ${MAX_EXPRESSION_LENGTH} characters`];
  }
  const [root = '', step, member] = path;
  if (!ROOTS.includes(root) || path.includes('')) {
    return [`has ${text}, which must be a path that starts with inputs, trigger, or steps`];
  }
  if (root !== 'steps') return [];
  if (step === undefined || member !== 'output') return [`has ${text}, which must be {{steps.<id>.output…}}`];
  return earlierSteps.has(step) ? [] : [`has ${text}, but no earlier step has the id ${step}`];
}

/** One resolution, which counts the bytes of its result before it makes them. */
class Resolution {
  private bytes = 0;

  constructor(private readonly scope: TemplateScope) {}

  resolve(value: unknown): unknown {
    if (typeof value === 'string') return this.resolveText(value);
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (!isObject(value)) {
      this.count(String(value));
      return value;
    }
    // fromEntries defines own properties, also for a key such as __proto__.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        this.count(key);
        return [key, this.resolve(item)];
      }),
    );
  }

  private resolveText(text: string): unknown {
    const first = EXPRESSION.exec(text);
    EXPRESSION.lastIndex = 0;
    if (first?.[0] === text) {
      const value = this.read(parseExpression(text, first[1] ?? ''));
      this.count(JSON.stringify(value));
      return value;
    }
    this.count(text);
    if (first === null) return text;
    return text.replace(EXPRESSION, (found, inner: string) => {
      const value = this.read(parseExpression(found, inner));
      const inserted = typeof value === 'string' ? value : JSON.stringify(value);
      this.count(inserted);
      return inserted;
    });
  }

  private read(expression: Expression): unknown {
    let value: unknown = this.scope;
    for (const name of expression.path) {
      value = getOwn(value, name);
      if (value === undefined) throw invalid(missing(expression, this.scope));
    }
    return value;
  }

  private count(text: string): void {
    this.bytes += Buffer.byteLength(text);
    if (this.bytes > MAX_RESULT_BYTES) {
      throw invalid(
        `The values of the step must have at most ${MAX_RESULT_BYTES} bytes with its templates resolved`,
      );
    }
  }
}

function missing({ text, path: [root] }: Expression, scope: TemplateScope): string {
  return root === 'trigger' && scope.trigger === null
    ? `${text} has no value: the run was not started by an event`
    : `${text} has no value`;
}

/** Reads an own property of an object, or a member of an array: `constructor` and `length` are none. */
function getOwn(value: unknown, name: string): unknown {
  if (Array.isArray(value))
    return /^(0|[1-9]\d{0,8})$/.test(name) ? (value[Number(name)] as unknown) : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
