import { Injectable } from '@nestjs/common';
import type { ActiveTurn } from './active-turn.ts';
import { askUserTool } from './ask-user-tool.ts';
import type { TurnTool } from './turn-tool.ts';

/** Offers tools to turns; other modules register theirs here. */
export interface TurnToolSource {
  toolsFor(turn: ActiveTurn): Promise<TurnTool[]>;
}

/** The most tools that a model is offered. */
const MAX_TOOLS = 128;

@Injectable()
export class TurnTools {
  private readonly sources: TurnToolSource[] = [];

  register(source: TurnToolSource): void {
    this.sources.push(source);
  }

  /** What this turn may call; none where the model cannot call tools. */
  async offered(turn: ActiveTurn): Promise<TurnTool[]> {
    if (!turn.model.capabilities.tools) return [];
    const tools = (await Promise.all(this.sources.map((source) => source.toolsFor(turn)))).flat();
    if (turn.agent.askUser && turn.settings.interactive) tools.unshift(askUserTool);
    const allowed = turn.settings.chatMode === 'ask' ? tools.filter((tool) => !tool.acts) : tools;
    return allowed.slice(0, MAX_TOOLS);
  }
}
