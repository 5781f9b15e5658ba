import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AgentsService } from '../../agents/agents.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { MOST_FOUND, SearchRegistry, type Found } from '../../search/search.registry.ts';
import { listTurns, type ListedTurn } from './traces.store.ts';

/** Finds the caller's own sessions, by their titles and ids, and turns by their ids, in the latest turns. */
@Injectable()
export class TurnSearchService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsService,
    private readonly registry: SearchRegistry,
  ) {}

  onModuleInit(): void {
    const access = { rule: 'member', scopes: ['invoke'] } as const;
    this.registry.register(
      { kind: 'session', access, find: (caller, text) => this.findSessions(caller, text) },
      {
        kind: 'turn',
        access,
        findById: async (caller, id) => {
          const turns = await this.findTurns(caller, id);
          const turn = turns.find(({ turnId }) => turnId === id);
          return turn
            ? { id: turn.turnId, title: titleOf(turn), text: turn.status, parentId: turn.agentId }
            : null;
        },
      },
    );
  }

  private async findSessions(caller: UserPrincipal, text: string): Promise<Found[]> {
    const sessions = new Map<string, Found>();
    for (const turn of await this.findTurns(caller, text)) {
      const { agentId, sessionName, sessionHidden, turnId } = turn;
      if (sessionHidden || turnId === text.toLowerCase()) continue;
      const found = { id: sessionName, title: titleOf(turn), text: '', parentId: agentId };
      sessions.set(`${agentId} ${sessionName}`, found);
    }
    return [...sessions.values()];
  }

  /** Without the turns of agents that the caller may no longer invoke. */
  private async findTurns({ spaceId, userId }: UserPrincipal, search: string): Promise<ListedTurn[]> {
    const turns = await listTurns(this.database, { spaceId, userId, search }, null, MOST_FOUND);
    const agentIds = [...new Set(turns.map(({ agentId }) => agentId))];
    if (agentIds.length === 0) return [];
    const accessible = await this.agents.accessibleAmong({ spaceId, userId }, agentIds);
    return turns.filter(({ agentId }) => accessible.includes(agentId));
  }
}

const titleOf = ({ sessionTitle, sessionName }: ListedTurn): string => sessionTitle || sessionName;
