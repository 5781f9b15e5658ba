import type { ImageDetail } from '@platform/contracts';
import type { ModelToolCall } from '../../models/model-provider.ts';

/** A piece of what the user said; media are kept as attachments, images on the web by their address. */
export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; detail: ImageDetail; url?: string; attachmentId?: string }
  | { type: 'audio'; attachmentId: string; url?: string }
  | { type: 'file'; attachmentId: string; info: Record<string, unknown>; text?: string };

/** The size of the context behind a call of the model, by the provider's figures. */
interface ContextFigure {
  tokens: number;
  /** The provider gave none; counted here. */
  estimated: boolean;
}

/** What a step of a turn left behind; a stored step is never made again. */
export type StepContent =
  | { kind: 'user'; content: { parts: UserPart[] } }
  | { kind: 'model'; content: { text: string; toolCalls: ModelToolCall[]; context?: ContextFigure } }
  /** The call has started: without its result it was interrupted, and is never started again. */
  | { kind: 'tool-call'; content: { callId: string } }
  | { kind: 'tool-result'; content: { callId: string; text: string } }
  /** What was said before the turn failed or was cancelled; a re-run replaces it. */
  | { kind: 'partial'; content: { text: string } };

/** `n` is its place in the turn, from 1. */
export type Step = StepContent & { id: string; n: number; tokens: number };

/** Whether the model said nothing in this step: it is no message of the session. */
export function isSilent(step: StepContent): boolean {
  return (step.kind === 'model' || step.kind === 'partial') && step.content.text === '';
}

/** The calls of the last model step that have no result yet, in their order. */
export function openCalls(steps: Step[]): { call: ModelToolCall; started: boolean }[] {
  const last = steps.findLastIndex((step) => step.kind === 'model');
  const asking = steps[last];
  if (asking?.kind !== 'model') return [];
  const after = steps.slice(last + 1);
  return asking.content.toolCalls
    .filter(({ id }) => !after.some((step) => step.kind === 'tool-result' && step.content.callId === id))
    .map((call) => ({
      call,
      started: after.some((step) => step.kind === 'tool-call' && step.content.callId === call.id),
    }));
}
