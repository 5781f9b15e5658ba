import { Injectable } from '@nestjs/common';
import type { ToolExecution } from '@platform/contracts';
import type { ActiveTurn } from './active-turn.ts';
import { ASK_USER_TOOL } from '../records/questions.ts';

/** What a call gave: the text for the model, and what people see of it. */
export interface ToolOutcome {
  /** For the model. */
  text: string;
  result?: unknown;
  error?: { code: string; message: string };
  /** The user did not allow the call. */
  denied?: true;
  metadata?: Partial<ToolExecution['metadata']>;
}

/** A tool as the model may call it. */
export interface TurnTool {
  /** The name the model uses: `<tool>__<method>`, at most 64 of `[A-Za-z0-9_-]`. */
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  toolId: string;
  tool: string;
  method: string;
  kind: string;
  /** Has effects: not offered in chat_mode `ask`. */
  acts: boolean;
  run(
    input: Record<string, unknown>,
    call: { id: string; turn: ActiveTurn; signal: AbortSignal },
  ): Promise<ToolOutcome>;
}

/** Offers tools to turns; other modules register theirs here. */
export interface TurnToolSource {
  toolsFor(turn: ActiveTurn): Promise<TurnTool[]>;
}

/** Never run: the turn stops at the call and waits for the user. */
const askUser: TurnTool = {
  ...ASK_USER_TOOL,
  run: () => Promise.reject(new Error('A question is put by the turn itself')),
};

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
    if (turn.agent.askUser && turn.settings.interactive) tools.unshift(askUser);
    const allowed = turn.settings.chatMode === 'ask' ? tools.filter((tool) => !tool.acts) : tools;
    return allowed.slice(0, MAX_TOOLS);
  }
}
