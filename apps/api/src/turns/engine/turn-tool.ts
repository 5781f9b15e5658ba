import type { ToolExecution } from '@platform/contracts';
import type { CallAnswer } from '../../tools/calls/call-pause.ts';
import type { CallConsent } from '../../tools/policies/call-approval.ts';
import type { ActiveTurn } from './active-turn.ts';

/** The result of a call: the text for the model, and what people see of it. */
export interface ToolOutcome {
  /** For the model. */
  text: string;
  result?: unknown;
  error?: { code: string; message: string };
  /** The user did not allow the call. */
  denied?: true;
  metadata?: Partial<ToolExecution['metadata']>;
}

export interface TurnCall {
  id: string;
  turn: ActiveTurn;
  signal: AbortSignal;
  /** What a person approved. */
  consent?: CallConsent;
  /** What a person entered. */
  answer?: CallAnswer;
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
  /** Throws a `CallPause` if a person has to make the call possible, unless nobody can be asked. */
  run(input: Record<string, unknown>, call: TurnCall): Promise<ToolOutcome>;
}
