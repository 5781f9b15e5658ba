import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { builtinTools } from '../../tools/builtin-tools.ts';
import type { ActiveTurn } from './active-turn.ts';
import { findAttachment } from '../records/attachment.store.ts';
import { modelToolName } from './tool-names.ts';
import type { TurnTool } from './turn-tool.ts';
import { TurnTools, type TurnToolSource } from './turn-tools.ts';

/** Offers the built-in tools that an agent lists. */
@Injectable()
export class BuiltinSource implements TurnToolSource, OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly tools: TurnTools,
  ) {}

  onModuleInit(): void {
    this.tools.register(this);
  }

  async toolsFor(turn: ActiveTurn): Promise<TurnTool[]> {
    const { agent, session, userId } = turn;
    const caller = { spaceId: agent.spaceId, userId, agent: { id: agent.id, name: agent.name } };
    const attachments = { read: (id: string) => findAttachment(this.database, session.ref, id) };
    return agent.tools.flatMap(({ toolId, methods }) => {
      const tool = builtinTools.get(toolId);
      const offered = tool?.methods.filter(({ name }) => methods === null || methods.includes(name)) ?? [];
      return offered.map(({ name, description, inputSchema, acts, run }) => ({
        name: modelToolName(toolId, name),
        description,
        parameters: inputSchema,
        toolId,
        tool: toolId,
        method: name,
        kind: 'builtin',
        acts,
        run: async (input, { signal }) => {
          const call = { ...caller, now: new Date(), signal, configuration: {}, attachments };
          const result = await run(input, call);
          return { text: JSON.stringify(result ?? null), result };
        },
      }));
    });
  }
}
