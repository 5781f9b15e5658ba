import { format as formatText } from 'node:util';
import { StepError, TOO_LARGE } from './step-error.ts';

const KB = 1024;
const MB = 1024 * KB;
export const MAX_LOG_BYTES = 256 * KB;
export const MAX_VALUE_BYTES = MB;
/** The inputs and outputs of all steps of an attempt. */
export const MAX_VALUES_BYTES = 8 * MB;
/** Said of a label and its bytes, here and in SQL: `format` reads both alike. */
export const VALUE_TOO_LARGE = `%s has %s bytes; at most ${MAX_VALUE_BYTES} are stored`;
export const RUN_TOO_LARGE = `The inputs and outputs of a run have at most ${MAX_VALUES_BYTES} bytes; %s exceeds them`;
/** What a row of `run_step` takes from the budget, in SQL. */
export const STEP_BYTES = 'coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)';
const TRUNCATED = '… The log of a run has at most 256 KB; the rest was dropped.';

/** What one attempt may still store. */
export class RunBudget {
  private logBytes: number;
  private isLogFull: boolean;
  private valueBytes: number;

  /** What it has stored already, if it continues one that was handed over. */
  constructor(used: { valueBytes: number; logBytes: number } | null = null) {
    this.valueBytes = MAX_VALUES_BYTES - (used?.valueBytes ?? 0);
    this.logBytes = MAX_LOG_BYTES - (used?.logBytes ?? 0);
    this.isLogFull = this.logBytes <= 0;
  }

  /** Returns a log that takes its bytes from the budget of the attempt. */
  openLog(): StepLog {
    return new StepLog((line) => this.takeLine(line));
  }

  /** Formats an input or output as JSON. Throws STEP_TOO_LARGE. */
  format(value: unknown, label: string): string {
    const text = stringify(value, label);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_VALUE_BYTES) throw new StepError(TOO_LARGE, formatText(VALUE_TOO_LARGE, label, bytes));
    this.valueBytes -= bytes;
    if (this.valueBytes < 0) throw new StepError(TOO_LARGE, formatText(RUN_TOO_LARGE, label));
    return text;
  }

  /** Returns the part of a line that is kept, with its line break. */
  private takeLine(line: string): string {
    if (this.isLogFull) return '';
    const text = `${line}\n`;
    // Every UTF-16 code unit takes at least one byte.
    const bytes = text.length > this.logBytes ? Infinity : Buffer.byteLength(text);
    if (bytes <= this.logBytes) {
      this.logBytes -= bytes;
      return text;
    }
    this.isLogFull = true;
    return `${TRUNCATED}\n`;
  }
}

/** What one step has logged. */
export class StepLog {
  private readonly lines: string[] = [];

  constructor(private readonly take: (line: string) => string) {}

  add(line: string): void {
    const kept = this.take(line);
    if (kept !== '') this.lines.push(kept);
  }

  get text(): string {
    return this.lines.join('');
  }

  /** How many lines are kept. */
  get length(): number {
    return this.lines.length;
  }
}

function stringify(value: unknown, label: string): string {
  try {
    // Within an array, undefined and functions become null.
    return JSON.stringify([value]).slice(1, -1);
  } catch (error) {
    throw new StepError('STEP_FAILED', `${label} is not a JSON value`, { cause: error });
  }
}
