import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { SearchRegistry, type Found } from '../../search/search.registry.ts';
import { findMethods, findTools } from './tools.store.ts';

/** Finds the tools of spaces, and their methods. */
@Injectable()
export class ToolSearchService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly registry: SearchRegistry,
  ) {}

  onModuleInit(): void {
    const access = { rule: 'member', scopes: ['use', 'manage'] } as const;
    this.registry.register(
      {
        kind: 'tool',
        access,
        find: ({ spaceId }, text) => this.findTools(spaceId, { text }),
        findById: async ({ spaceId }, id) => (await this.findTools(spaceId, { id }))[0] ?? null,
      },
      { kind: 'method', access, find: ({ spaceId }, text) => this.findMethods(spaceId, text) },
    );
  }

  private async findTools(spaceId: string, sought: { text?: string; id?: string }): Promise<Found[]> {
    const tools = await findTools(this.database, spaceId, sought);
    return tools.map(({ id, name, description }) => ({ id, title: name, text: description, parentId: null }));
  }

  private async findMethods(spaceId: string, text: string): Promise<Found[]> {
    const methods = await findMethods(this.database, spaceId, text);
    return methods.map(({ toolId, toolName, name, httpMethod, path }) => ({
      id: name,
      title: name,
      text: `${toolName} · ${httpMethod.toUpperCase()} ${path}`,
      parentId: toolId,
    }));
  }
}
