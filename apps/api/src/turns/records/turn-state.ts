import type { TurnStatus } from '@platform/contracts';
import { AppError, conflict } from '../../infra/errors/app-error.ts';

/** What is known about a turn when its id is repeated. */
export interface KnownTurn {
  status: TurnStatus;
  contentsHash: Buffer;
  sessionName: string;
}

/** What the caller sent. Without a session name, every session matches. */
export interface RepeatedStart {
  turnId: string;
  contentsHash: Buffer;
  sessionName: string | null;
}

/** The turn whose start was repeated is running. */
export class TurnRunningError extends AppError {
  constructor(turnId: string) {
    super('CONFLICT', `Turn ${turnId} is already running`);
  }
}

/** The session runs another turn. */
export class SessionBusyError extends AppError {
  constructor(sessionName: string, running: string | null) {
    super('CONFLICT', `Session ${sessionName} is busy with turn ${running ?? 'that just ended'}`);
  }
}

/** Whether the turn failed because its process ended, so that it can go on in another one. */
export function isInterrupted({
  status,
  error,
}: {
  status: TurnStatus;
  error: { code: string } | null;
}): boolean {
  return status === 'FAILED' && error?.code === 'INTERRUPTED';
}

/** A repeated start either runs the failed turn again or gets what was recorded; everything else is a 409. */
export function decideRepeat(known: KnownTurn, repeated: RepeatedStart): 'rerun' | 'recorded' | AppError {
  if (!known.contentsHash.equals(repeated.contentsHash)) {
    return conflict(`turnId ${repeated.turnId} was already used with other contents`);
  }
  if (repeated.sessionName !== null && repeated.sessionName !== known.sessionName) {
    return conflict(`turnId ${repeated.turnId} was already used with another session_id`);
  }
  switch (known.status) {
    case 'QUEUED':
    case 'RUNNING':
      return new TurnRunningError(repeated.turnId);
    case 'FAILED':
      return 'rerun';
    case 'INPUT_REQUIRED':
    case 'COMPLETED':
    case 'CANCELLED':
      return 'recorded';
  }
}
