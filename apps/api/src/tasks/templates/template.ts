import { invalid } from '../../infra/errors/app-error.ts';
import { isObject } from '../../infra/runtime/json.ts';

/** What expressions can refer to. */
export interface TemplateScope {
  inputs: Record<string, unknown>;
  /** Null for runs that no event has started. */
  trigger: object | null;
  /** The steps that have ended, by id. */
  steps: Record<string, { output: unknown }>;
  /** In a step that is executed for each item: the item. */
  item?: unknown;
  /** The position of the item, from 0. */
  index?: number;
}

/** The most bytes of a resolved value, as JSON. */
const MAX_RESULT_BYTES = 1024 * 1024;

/** Braces cannot nest, so that one pass finds every expression. */
const EXPRESSION = /\{\{([^{}]*)\}\}/g;

/** An expression, such as `{{steps.load.output.items.0}}`. */
export interface Expression {
  /** As written, for messages. */
  text: string;
  /** Such as steps, load, output, items, 0. Contains an empty text if the expression is not a path. */
  path: string[];
  /** What it is if the path has no value, or null. */
  fallback?: unknown;
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

/** Returns the distinct expressions of a value and of all that is in it. */
export function findExpressions(value: unknown): Expression[] {
  const found = new Map<string, Expression>();
  const collect = (item: unknown): void => {
    if (typeof item === 'string') for (const one of listExpressions(item)) found.set(one.text, one);
    else if (Array.isArray(item)) item.forEach(collect);
    else if (isObject(item)) Object.values(item).forEach(collect);
  };
  collect(value);
  return [...found.values()];
}

/** Whether a text has expressions. */
export function hasTemplate(text: string): boolean {
  return listExpressions(text).length > 0;
}

function listExpressions(text: string): Expression[] {
  return Array.from(text.matchAll(EXPRESSION), ([found, inner = '']) => parseExpression(found, inner));
}

/** A name after a dot, or in brackets and quotation marks. */
const NAME = /\.?(?:\["((?:[^"\\]|\\.)*)"\]|([^.[]*))/y;
/** A path, and a JSON value after two question marks. A quoted name may contain question marks. */
const WITH_FALLBACK = /^((?:[^"?]|"(?:[^"\\]|\\.)*")*)\?\?(.*)$/s;

function parseExpression(text: string, inner: string): Expression {
  const [, path = inner, fallback] = WITH_FALLBACK.exec(inner) ?? [];
  if (fallback === undefined) return { text, path: parsePath(path.trim()) };
  try {
    return { text, path: parsePath(path.trim()), fallback: JSON.parse(fallback) as unknown };
  } catch {
    return { text, path: [''] };
  }
}

function parsePath(path: string): string[] {
  if (!path.includes('["')) return path.split('.');
  const names: string[] = [];
  for (NAME.lastIndex = 0; NAME.lastIndex < path.length;) {
    const found = NAME.exec(path);
    if (found === null || found[0] === '') return [''];
    names.push(found[1] === undefined ? (found[2] ?? '') : unquote(found[1]));
  }
  return names;
}

/** Returns an empty text, which no path contains, if the text is not the inside of a JSON string. */
function unquote(inside: string): string {
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch {
    return '';
  }
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
      if (value === undefined) break;
    }
    if (expression.fallback !== undefined) return value ?? expression.fallback;
    if (value === undefined) throw invalid(missing(expression, this.scope));
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

/** Reads an own property of an object, or a member or the length of an array. What they inherit, such as `constructor`, is none. */
function getOwn(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    if (name === 'length') return value.length;
    return /^(0|[1-9]\d{0,8})$/.test(name) ? (value[Number(name)] as unknown) : undefined;
  }
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
