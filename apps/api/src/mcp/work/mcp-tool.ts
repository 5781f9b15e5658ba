import type { CallToolResult, InputRequiredResult, McpServer, Tool } from '@modelcontextprotocol/server';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { QuestionForm } from '../../turns/questions/question-form.ts';
import type { Done, Work } from './work.ts';

/** A call of an MCP client. */
export interface McpCall {
  call: AuditedCall;
  /** Names the effect of the call: the same key has it once. Null: the client sent none. */
  idempotencyKey: string | null;
  /** The span of the client that the call is part of, as W3C writes it; null: unknown. */
  traceparent: string | null;
  /** What the person filled in; null: nothing was asked, or nobody has answered. */
  reply: Reply | null;
  /** Whether the client follows work by its handle, so that nobody waits for what it starts. */
  followsWork: boolean;
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
  | Done
  /** The work goes on; `handle` names it. */
  | { kind: 'working'; handle: string; note?: string }
  | { kind: 'asking'; handle: string; interactionId: string; form: QuestionForm }
  /** It has begun, for a client that follows it. */
  | { kind: 'started'; work: Work };

/** A tool that a caller may call. */
export interface CalledTool {
  run(input: Record<string, unknown>, call: McpCall): Promise<McpOutcome>;
}

/** A tool that a caller is offered. */
export interface McpTool extends CalledTool {
  listed: Tool;
}

/** The protocol of one request, whose handlers are set one by one. */
export type McpProtocol = McpServer['server'];

export type McpResult = CallToolResult | InputRequiredResult;
