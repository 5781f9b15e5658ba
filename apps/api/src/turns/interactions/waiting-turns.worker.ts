import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { MINUTE, SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { RunQuestionsService } from '../../tasks/inbox/run-questions.service.ts';
import { QUESTION_EXPIRED, WaitingTurnsService } from '../lifecycle/waiting-turns.service.ts';
import { listExpiredInteractions } from '../records/interaction.store.ts';
import { getTurn } from '../records/turn.store.ts';

const RUN_ENDED = {
  code: 'CANCELLED',
  message: 'The run whose step asked the question has ended',
  retryable: false,
};

/** Ends turns that wait in vain. */
@Injectable()
export class WaitingTurnsWorker implements OnModuleInit {
  private readonly logger = new Logger(WaitingTurnsWorker.name);

  constructor(
    private readonly database: Database,
    private readonly waiting: WaitingTurnsService,
    private readonly sweeper: SweeperWorker,
    private readonly questions: RunQuestionsService,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('questions', () => this.expire());
    this.sweeper.register('questions of ended runs', (limit) => this.endAbandoned(limit), MINUTE);
  }

  /** Ends the turns whose questions have expired. A turn that cannot be ended does not delay the others. */
  async expire(): Promise<void> {
    let batch = await listExpiredInteractions(this.database, null);
    for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
      for (const { turnRef } of batch) await this.waiting.tryToEnd(turnRef, QUESTION_EXPIRED);
      batch = await listExpiredInteractions(this.database, last);
    }
  }

  /** Ends turns that wait for a run which does not go on with them. Returns how many it has ended. */
  private async endAbandoned(limit: number): Promise<number> {
    let ended = 0;
    for (const { id, turnId } of await this.questions.listAbandoned(limit))
      try {
        await this.database.transaction(async (tx) => {
          const turn = await getTurn(tx, turnId);
          if (turn) await this.waiting.end(tx, turn, RUN_ENDED);
          await this.questions.settle(tx, id);
        });
        ended += 1;
      } catch (error) {
        this.logger.warn(
          { err: error, question: id },
          'The turn of an ended run could not be ended; retrying',
        );
      }
    return ended;
  }
}
