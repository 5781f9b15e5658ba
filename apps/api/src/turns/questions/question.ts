import type { InteractionOption } from '@platform/contracts';
import type { JsonObject } from '../../infra/runtime/json.ts';
import type { CallNeed } from '../../tools/calls/call-pause.ts';

/** A question as it is stored with its interaction. */
export interface Question {
  kind: 'single' | 'multi';
  question: string;
  options: InteractionOption[];
  allowOther: boolean;
  otherLabel?: string;
  minSelected: number;
  maxSelected: number;
  /** What a call of a tool needs; absent if the agent asks. */
  need?: CallNeed;
}

export interface UserAnswer {
  selectedOptionIds: string[];
  otherText: string | null;
  /** The arguments with which a call is approved, in place of those that were shown. */
  arguments?: JsonObject;
  /** What was entered into a form. */
  values?: JsonObject;
  /** Who decided about a call. */
  by?: string;
}
