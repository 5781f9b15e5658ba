import { isObject } from '../../infra/runtime/json.ts';

/** Whether a value meets a condition. */
export type IsMatch = (actual: unknown, wanted: unknown) => boolean;

interface Operator {
  /** Returns what the operand must be if it is not, or null. */
  check: (operand: unknown) => string | null;
  holds: (actual: unknown, operand: unknown, isMatch: IsMatch) => boolean;
  /** What it wants of a field, before its operand. */
  words: (operand: unknown) => [string];
}

const isOrdered = (value: unknown) => typeof value === 'number' || typeof value === 'string';

/** Numbers are compared with numbers, and texts with texts, by their UTF-16 code units: times in the same format. */
function comparison(word: string, holds: (order: number) => boolean): Operator {
  return {
    check: (operand) => (isOrdered(operand) ? null : 'must be a number or a text'),
    holds: (actual, operand) => {
      if (typeof actual === 'number' && typeof operand === 'number') return holds(actual - operand);
      if (typeof actual !== 'string' || typeof operand !== 'string') return false;
      return holds(actual === operand ? 0 : actual < operand ? -1 : 1);
    },
    words: () => [word],
  };
}

export const OPERATORS: Readonly<Record<string, Operator>> = {
  $gt: comparison('more than', (order) => order > 0),
  $gte: comparison('at least', (order) => order >= 0),
  $lt: comparison('less than', (order) => order < 0),
  $lte: comparison('at most', (order) => order <= 0),
  $prefix: {
    check: (operand) => (typeof operand === 'string' ? null : 'must be a text'),
    holds: (actual, operand) => typeof actual === 'string' && actual.startsWith(String(operand)),
    words: () => ['a text that begins with'],
  },
  $exists: {
    check: (operand) => (typeof operand === 'boolean' ? null : 'must be true or false'),
    holds: (actual, operand) => (actual !== undefined) === operand,
    words: (operand) => [operand === true ? 'any value' : 'no such field'],
  },
  $not: {
    check: () => null,
    holds: (actual, operand, isMatch) => !isMatch(actual, operand),
    words: () => ['not'],
  },
};

/** Whether a value of a filter is an object of operators, known or not. */
export function hasOperators(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).some((key) => key.startsWith('$'));
}

/** Returns what is wrong with what a filter wants of a field: a value, or an object of operators. */
export function conditionProblems(wanted: unknown, path: string): string[] {
  return hasOperators(wanted) ? operatorProblems(wanted, path) : innerOperators(wanted, path);
}

function operatorProblems(operators: Record<string, unknown>, path: string): string[] {
  return Object.entries(operators).flatMap(([name, operand]) => {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (operator === undefined)
      return [`${path}.${name} must be one of ${Object.keys(OPERATORS).join(', ')}`];
    if (name === '$not') return conditionProblems(operand, `${path}.$not`);
    const problem = operator.check(operand);
    return problem === null ? [] : [`${path}.${name} ${problem}`];
  });
}

/** Inside of values that are compared as a whole, operators would never be applied. */
function innerOperators(value: unknown, path: string): string[] {
  if (hasOperators(value))
    return [`${path} has operators inside a value: name the field by its path, such as "customer.age"`];
  if (Array.isArray(value)) return value.flatMap((item, i) => innerOperators(item, `${path}[${i}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => innerOperators(item, `${path}.${key}`));
}
