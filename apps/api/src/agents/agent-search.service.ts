import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Database } from '../infra/database/database.ts';
import { SearchRegistry, type Found } from '../search/search.registry.ts';
import { findAgents } from './agents.store.ts';

/** Finds agents that a caller may invoke or manage: of any other, not even the name. */
@Injectable()
export class AgentSearchService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly registry: SearchRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register({
      kind: 'agent',
      access: { rule: 'member', scopes: ['invoke', 'manage'] },
      find: (caller, text) => this.find(caller, { text }),
      findById: async (caller, id) => (await this.find(caller, { id }))[0] ?? null,
    });
  }

  private async find(caller: UserPrincipal, sought: { text?: string; id?: string }): Promise<Found[]> {
    const { spaceId, userId, role } = caller;
    const agents = await findAgents(this.database, { spaceId, userId, isAdmin: role === 'ADMIN' }, sought);
    return agents.map(({ id, name, description }) => ({
      id,
      title: name,
      text: description,
      parentId: null,
    }));
  }
}
