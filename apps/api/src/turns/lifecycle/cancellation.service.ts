import { Injectable } from '@nestjs/common';
import type { CancelResponse } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import {
  consumeCancelRequest,
  forwardCancelRequest,
  storeCancelRequest,
} from '../records/cancel-request.store.ts';
import { TurnTransitionsService } from '../transitions/turn-transitions.service.ts';
import { WaitingTurnsService } from './waiting-turns.service.ts';
import { findTurn, getTurn, loadSegments } from '../records/turn.store.ts';
import { isInterrupted } from '../records/turn-state.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';

const CANCELLED: TurnFailure = {
  code: 'CANCELLED',
  message: 'The user canceled the turn',
  retryable: false,
};

/** Records cancel requests. A turn that runs is stopped by the process that runs it. */
@Injectable()
export class CancellationService {
  private readonly retries: ((turn: TurnRow) => Promise<void>)[] = [];

  constructor(
    private readonly database: Database,
    private readonly streams: StreamsService,
    private readonly waiting: WaitingTurnsService,
    private readonly transitions: TurnTransitionsService,
  ) {}

  /** Registers what cancels the next attempt at a failed turn, so that a canceled turn does not run again by itself. */
  onCancelOfFailed(cancelRetry: (turn: TurnRow) => Promise<void>): void {
    this.retries.push(cancelRetry);
  }

  /** Cancels the caller's turn. Throws 404 for an unknown turn, but stores the request, which cancels the turn if it starts. */
  async cancel(
    caller: UserPrincipal,
    agentId: string,
    turnId: string,
    sessionId: string,
  ): Promise<CancelResponse> {
    const missing = notFound(`Session ${sessionId} has no turn ${turnId}`);
    if (!isUuid(turnId)) throw missing;
    const id = turnId.toLowerCase();
    const find = () => findTurn(this.database, agentId, caller.userId, id);
    let turn = await find();
    if (turn === null) {
      const request = { agentId, userId: caller.userId, turnId: id };
      await storeCancelRequest(this.database, request);
      // The turn may have started in between: a start looks for requests only after its commit.
      turn = await find();
      // Nobody else consumes the request then, and it would count against the limit of the user.
      if (turn !== null) await consumeCancelRequest(this.database, request);
    }
    if (turn === null || turn.sessionDeleted || turn.sessionName !== sessionId) throw missing;
    const status = await this.stop(turn);
    if (status !== 'failed') return { turnId: turn.turnId, sessionId, status };
    for (const cancelRetry of this.retries) await cancelRetry(turn);
    return { turnId: turn.turnId, sessionId, status: await this.stopCurrent(turn, CANCELLED) };
  }

  /** Cancels a queued turn whose cancel request came before it: it may wait for longer than the request is kept. */
  forwardEarly(agentId: string, userId: string, turnId: string): Promise<void> {
    return forwardCancelRequest(this.database, { agentId, userId, turnId }, async () => {
      const turn = await findTurn(this.database, agentId, userId, turnId);
      if (turn !== null) await this.stop(turn);
    });
  }

  /** Cancels an interrupted turn, which would otherwise go on when it is asked for. False: it was none, or goes on. */
  async giveUp(id: string): Promise<boolean> {
    const turn = await getTurn(this.database, id);
    if (turn === null || !isInterrupted(turn)) return false;
    return this.database.transaction((tx) => this.transitions.cancel(tx, turn, 'FAILED', CANCELLED));
  }

  /** Cancels a turn in whatever state it is; `why` is stored with a turn that is not running. */
  async stop(turn: TurnRow, why = CANCELLED): Promise<CancelResponse['status']> {
    switch (turn.status) {
      case 'RUNNING': {
        const segment = (await loadSegments(this.database, turn.id)).at(-1);
        const isRequested = segment && (await this.streams.requestCancel(this.database, segment.streamId));
        return isRequested ? 'cancelling' : this.stopCurrent(turn, why);
      }
      case 'QUEUED': {
        const ended = await this.database.transaction((tx) =>
          this.transitions.cancel(tx, turn, 'QUEUED', why),
        );
        return ended ? 'cancelled' : this.stopCurrent(turn, why);
      }
      case 'INPUT_REQUIRED': {
        const ended = await this.database.transaction((tx) => this.waiting.end(tx, turn, why));
        return ended ? 'cancelled' : this.stopCurrent(turn, why);
      }
      case 'COMPLETED':
        return 'completed';
      case 'FAILED':
        return 'failed';
      case 'CANCELLED':
        return 'cancelled';
    }
  }

  /** Reads the turn again, because it has left the state in which it was read, and cancels it. */
  private async stopCurrent({ id }: TurnRow, why: TurnFailure): Promise<CancelResponse['status']> {
    const turn = await getTurn(this.database, id);
    if (turn === null) throw new Error(`Turn ${id} is gone`);
    return this.stop(turn, why);
  }
}
