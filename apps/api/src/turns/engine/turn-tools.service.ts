import { Injectable } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { MAX_OFFERED, ToolDirectoryService } from '../../tools/definition/tool-directory.service.ts';
import type { ActiveTurn } from './active-turn.ts';
import { askUserTool } from './ask-user-tool.ts';
import type { TurnTool } from './turn-tool.ts';

/** Offers tools to turns; other modules register theirs here. */
export interface TurnToolSource {
  toolsFor(turn: ActiveTurn): Promise<TurnTool[]>;
}

@Injectable()
export class TurnToolsService {
  private readonly sources: TurnToolSource[] = [];

  constructor(
    private readonly database: Database,
    private readonly directory: ToolDirectoryService,
  ) {}

  register(source: TurnToolSource): void {
    this.sources.push(source);
  }

  /** Returns a sentence for each tool, or its methods, that the agent lists and that does not exist. */
  async listMissing({ agent }: ActiveTurn): Promise<string[]> {
    const missing = await this.directory.findMissing(this.database, agent.spaceId, agent.tools);
    return missing.filter((sentence) => sentence !== null);
  }

  /**
   * Returns the tools that the turn can call: none if the model cannot call tools. Throws VALIDATION_ERROR if there are too many, or
   * if a local tool has the name of another one: a model could not tell them apart.
   */
  async offered(turn: ActiveTurn): Promise<TurnTool[]> {
    if (!turn.model.capabilities.tools) return [];
    const tools = (await Promise.all(this.sources.map((source) => source.toolsFor(turn)))).flat();
    if (turn.agent.askUser && turn.settings.interactive) tools.unshift(askUserTool);
    const allowed = turn.settings.chatMode === 'ask' ? tools.filter((tool) => !tool.acts) : tools;
    if (allowed.length > MAX_OFFERED) {
      throw invalid(
        `The agent has more tools than a model can be offered: at most ${MAX_OFFERED} methods and local tools together`,
      );
    }
    const twice = allowed.find(({ name }, i) => allowed.findIndex((tool) => tool.name === name) < i);
    if (twice !== undefined)
      throw invalid(
        `The agent has two tools that the model knows as ${twice.name}: the local tool needs another name`,
      );
    return allowed;
  }
}
