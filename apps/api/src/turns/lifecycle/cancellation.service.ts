import { Injectable } from '@nestjs/common';
import type { CancelResponse } from '@platform/contracts';
import { DataSource } from 'typeorm';
import type { UserPrincipal } from '../../auth/principal.ts';
import { notFound } from '../../infra/http/app-error.ts';
import { isUuid } from '../../infra/http/ids.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { storeCancelRequest } from '../records/cancel-request.store.ts';
import { WaitingTurns } from './waiting-turns.service.ts';
import { cancelQueued, findTurn, getTurn, loadSegments } from '../records/turn.store.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';

const CANCELLED: TurnFailure = {
  code: 'CANCELLED',
  message: 'The user cancelled the turn',
  retryable: false,
};

/** Cancels turns wherever they run; what is finished stays as it is. */
@Injectable()
export class CancellationService {
  constructor(
    private readonly database: DataSource,
    private readonly streams: StreamsService,
    private readonly waiting: WaitingTurns,
  ) {}

  /** An unknown turn is a 404, and the wish is kept for ten minutes: it wins should the turn start. */
  async cancel(
    caller: UserPrincipal,
    agentId: string,
    turnId: string,
    sessionId: string,
  ): Promise<CancelResponse> {
    const missing = notFound(`Session ${sessionId} has no turn ${turnId}`);
    if (!isUuid(turnId)) throw missing;
    const id = turnId.toLowerCase();
    const look = () => findTurn(this.database, agentId, caller.userId, id);
    let turn = await look();
    if (turn === null) {
      await storeCancelRequest(this.database, { agentId, userId: caller.userId, turnId: id });
      // It may have started between the look and the wish; a start looks for wishes after it is stored.
      turn = await look();
    }
    if (turn === null || turn.sessionDeleted || turn.sessionName !== sessionId) throw missing;
    return { turnId: turn.turnId, sessionId, status: await this.stop(turn) };
  }

  /** Stops a turn as it was found; `why` is kept with one that had not begun or was waiting. */
  async stop(turn: TurnRow, why = CANCELLED): Promise<CancelResponse['status']> {
    switch (turn.status) {
      case 'RUNNING': {
        const segment = (await loadSegments(this.database, turn.id)).at(-1);
        const wished = segment && (await this.streams.requestCancel(this.database, segment.streamId));
        return wished ? 'cancelling' : this.again(turn, why);
      }
      case 'QUEUED':
        return (await cancelQueued(this.database, turn.id, why)) ? 'cancelled' : this.again(turn, why);
      case 'INPUT_REQUIRED': {
        const ended = await this.database.transaction((tx) => this.waiting.end(tx, turn, why));
        return ended ? 'cancelled' : this.again(turn, why);
      }
      case 'COMPLETED':
        return 'completed';
      case 'FAILED':
        return 'failed';
      case 'CANCELLED':
        return 'cancelled';
    }
  }

  /** The turn moved on while we looked. */
  private async again({ id }: TurnRow, why: TurnFailure): Promise<CancelResponse['status']> {
    const turn = await getTurn(this.database, id);
    if (turn === null) throw new Error(`Turn ${id} is gone`);
    return this.stop(turn, why);
  }
}
