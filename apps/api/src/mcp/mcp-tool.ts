import type { CallToolResult, InputRequiredResult, Tool } from '@modelcontextprotocol/server';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import type { QuestionForm } from '../turns/questions/question-form.ts';

/** A call of an MCP client. */
export interface McpCall {
  call: AuditedCall;
  /** Names the effect of the call: the same key has it once. Null: the client sent none. */
  idempotencyKey: string | null;
  /** What the person filled in; null: nothing was asked, or nobody has answered. */
  reply: Reply | null;
  /** Aborts when the client has left. */
  left: AbortSignal;
  /** Aborts when the client has left, or has waited for as long as clients do. Work with a handle goes on. */
  waiting: AbortSignal;
}

/** The answer of a person to a question. */
export interface Reply {
  interactionId: string;
  /** Null: the person declined. */
  values: Record<string, unknown> | null;
}

/** What a call has come to. */
export type McpOutcome =
  | { kind: 'done'; text: string; structured?: Record<string, unknown>; isError?: boolean }
  /** The work goes on; `handle` names it. */
  | { kind: 'working'; handle: string; note?: string }
  | { kind: 'asking'; handle: string; interactionId: string; form: QuestionForm };

/** A tool that a caller is offered. */
export interface McpTool {
  listed: Tool;
  run(input: Record<string, unknown>, call: McpCall): Promise<McpOutcome>;
}

export type McpResult = CallToolResult | InputRequiredResult;
