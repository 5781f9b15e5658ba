import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AgentsService } from '../../agents/agents.service.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { MemberRemovalsRegistry } from '../../auth/people/member-removals.registry.ts';
import { Database } from '../../infra/database/database.ts';
import { MINUTE, SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { WaitingTurnsService } from '../lifecycle/waiting-turns.service.ts';
import {
  deleteDismissal,
  insertDismissal,
  listDismissedTurns,
  listDueDismissals,
  postponeDismissal,
  type Dismissal,
} from './dismissal.store.ts';
import type { TurnFailure } from '../records/turn.ts';

const AGENT_DELETED: TurnFailure = {
  code: 'CANCELLED',
  message: 'The agent was deleted',
  retryable: false,
};

const MEMBER_REMOVED: TurnFailure = {
  code: 'CANCELLED',
  message: 'The user is no longer a member of the space',
  retryable: false,
};

/**
 * Ends the turns that wait when their agent is deleted, or their user leaves the space. That is stored in the same
 * transaction, and the turns are ended afterwards: there can be many.
 */
@Injectable()
export class DismissalsWorker implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly waiting: WaitingTurnsService,
    private readonly sweeper: SweeperWorker,
    private readonly agents: AgentsService,
    private readonly removals: MemberRemovalsRegistry,
    private readonly identity: IdentityService,
  ) {}

  onModuleInit(): void {
    this.agents.onDelete((tx, { spaceId, id: agentId }) =>
      insertDismissal(tx, { spaceId, agentId, userId: null }),
    );
    this.removals.register({
      remove: (tx, { spaceId, userId }) => insertDismissal(tx, { spaceId, userId, agentId: null }),
    });
    this.sweeper.register('dismissed turns', (limit) => this.endDismissed(limit), MINUTE);
  }

  /** Ends at most `limit` turns. Returns `limit` if more may be left, unless some could not be ended. */
  async endDismissed(limit: number): Promise<number> {
    const due = await listDueDismissals(this.database, limit);
    let ended = 0;
    let left = limit;
    for (const dismissal of due) {
      if (await this.hasReturned(dismissal)) {
        await deleteDismissal(this.database, dismissal.id);
        continue;
      }
      const why = dismissal.agentId === null ? MEMBER_REMOVED : AGENT_DELETED;
      const turns = await listDismissedTurns(this.database, dismissal, left);
      for (const turn of turns) if (await this.waiting.tryToEnd(turn, why)) ended += 1;
      left -= turns.length;
      if (left === 0) return ended;
      await postponeDismissal(this.database, dismissal.id);
    }
    return due.length === limit ? limit : ended;
  }

  /** Whether the person is a member again, and can answer. */
  private async hasReturned({ spaceId, userId }: Dismissal): Promise<boolean> {
    return userId !== null && (await this.identity.isMember(spaceId, userId));
  }
}
