import type { AskedCall, ConnectionOwner, QuestionField } from '@platform/contracts';
import { AppError } from '../../infra/errors/app-error.ts';

/** What a person decides about, as it was when it was asked. */
export interface CallApproval extends AskedCall {
  methodId: string;
  methodVersion: string;
}

/** What a call needs from a person before it can go on. */
export type CallNeed =
  /** A person approves the call. */
  | { kind: 'APPROVAL'; message: string; call: CallApproval }
  /**
   * The person, or the owner of the run, connects an account; or an admin, if the space owns it. `path` is the page of the
   * console that offers it.
   */
  | { kind: 'CONNECTION'; message: string; path: string; owner: ConnectionOwner }
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
export class CallPause extends AppError {
  constructor(readonly need: CallNeed) {
    super('CONFLICT', need.kind === 'CONNECTION' ? `${need.message} (${need.path})` : need.message);
    this.name = 'CallPause';
  }
}
