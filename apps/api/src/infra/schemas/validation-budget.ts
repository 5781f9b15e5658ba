import { RE2JS } from 're2js';
import { isMultipleOf } from '../runtime/decimal.ts';

/** The keyword that makes a subschema state its cost. */
export const COST = '$cost';

/** What a subschema costs each time it is applied to a value. */
export interface Cost {
  base: number;
  perItem: number;
  perKey: number;
  perCharacter: boolean;
}

/** What the validation of one payload may cost: tens of milliseconds. */
const BUDGET = 1_000_000;
const CHARACTERS_PER_UNIT = 16;
/** An error takes the time and memory of several checks. */
const UNITS_PER_ERROR = 4;
/** Instructions of a pattern's program times characters. */
const MATCH_STEPS_PER_UNIT = 32;

const UNITS_PER_DECIMAL = 8;

/** Validation would take too long. */
export class BudgetExceeded extends Error {
  override name = 'BudgetExceeded';
}

/** Validation is synchronous, so one budget at a time is spent. */
let left = 0;

/** Runs a validation that stops with BudgetExceeded when it takes too much time or stack. */
export function withinBudget<T>(validate: () => T): T {
  left = BUDGET;
  try {
    return validate();
  } catch (error) {
    // References can be followed deeper than the stack is.
    if (error instanceof RangeError) throw new BudgetExceeded('The stack is exhausted');
    throw error;
  }
}

function spend(units: number): void {
  left -= units;
  if (left < 0) throw new BudgetExceeded('The budget is exhausted');
}

/** Charges the budget for an error that is kept until the end of the validation. */
export function chargeError(): void {
  spend(UNITS_PER_ERROR);
}

/** Returns the function that charges a subschema before it is applied to a value. */
export function chargeFor({ base, perItem, perKey, perCharacter }: Cost): (value: unknown) => void {
  return (value) => {
    let units = base;
    if (typeof value === 'string') {
      if (perCharacter) units += value.length / CHARACTERS_PER_UNIT;
    } else if (Array.isArray(value)) units += perItem * value.length;
    else if (perKey > 0 && typeof value === 'object' && value !== null)
      units += perKey * Object.keys(value).length;
    spend(units);
  };
}

/** Compiles a pattern of JavaScript. Throws if RE2 cannot express it: lookaround, backreferences, huge repetitions. */
export function compilePattern(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** The engine of `pattern` and `patternProperties`: linear time, charged to the budget. */
export function linearPattern(pattern: string): { test: (text: string) => boolean } {
  const program = compilePattern(pattern);
  const size = program.programSize();
  return {
    test: (text) => {
      spend(1 + (size * text.length) / MATCH_STEPS_PER_UNIT);
      return program.matcher(text).find();
    },
  };
}
/** Required by the compiler, which could also write modules. */
linearPattern.code = 'linearPattern';

/** `multipleOf` of decimal numbers, which takes the time of several checks. */
export function isBoundedMultipleOf(factor: number, value: number): boolean {
  spend(UNITS_PER_DECIMAL);
  return isMultipleOf(value, factor);
}

/** `uniqueItems` in linear time: the compiler's own compares every item with every other. */
export function hasUniqueItems(items: unknown[], canonical: (item: unknown) => string): boolean {
  return new Set(items.map(canonical)).size === items.length;
}
