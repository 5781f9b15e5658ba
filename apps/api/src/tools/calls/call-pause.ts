import { AppError } from '../../infra/errors/app-error.ts';
import type { QuestionField } from '@platform/contracts';

/** What a call needs from a person before it can go on. */
export type CallNeed =
  /** The person, or the owner of the run, connects an account. `path` is the page of the console that offers it. */
  | { kind: 'CONNECTION'; message: string; path: string }
  /** The server asks for values. `state` belongs to the server and is sent back with them. */
  | { kind: 'FORM'; message: string; fields: QuestionField[]; state: string };

/** What the person did; `values` is null if they declined a form. */
export interface CallAnswer {
  state: string;
  values: Record<string, unknown> | null;
}

/**
 * Thrown by a call that a person has to make possible first. It had no effect. A turn or a run asks, waits without a
 * process, and makes the same call again after the answer; any other caller receives the message as an error.
 */
export class CallPause extends Error {
  override name = 'CallPause';

  constructor(readonly need: CallNeed) {
    super(need.message);
  }
}

/** For callers that cannot ask anybody: the message is an error. */
export async function withoutPause<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CallPause) throw new AppError('TOOL_ERROR', error.message, { cause: error });
    throw error;
  }
}
