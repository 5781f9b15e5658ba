import type { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import type { CallAnswer } from '../calls/call-pause.ts';
import type { WebResult } from '../../knowledge/web/web-search.ts';

/** A tool that is part of the platform. Agents refer to it by name. */
export interface BuiltinTool {
  /** Also its id. */
  name: string;
  description: string;
  kind: 'builtin' | 'speech';
  methods: BuiltinMethod[];
}

export interface BuiltinMethod {
  name: string;
  description: string;
  /** JSON Schema of the input. */
  inputSchema: Record<string, unknown>;
  /** JSON Schema of the output. Default: any object. */
  outputSchema?: Record<string, unknown>;
  /** Whether the method has side effects. */
  acts: boolean;
  /** Returns a JSON value. Throws a `ToolError` with a message for the model. */
  run: (input: Record<string, unknown>, call: BuiltinCall) => Promise<unknown>;
}

/** The caller of a method, and what the method can use. */
export interface BuiltinCall {
  now: Date;
  /** Aborts when the turn, the run, or the request stops. */
  signal: AbortSignal;
  spaceId: string;
  userId: string;
  /** Null if no agent makes the call. */
  agent: { id: string; name: string } | null;
  /** What a person entered whom the method has asked with a `CallPause`; null if it has not asked. */
  answer: CallAnswer | null;
  /** The configuration of the tool in the space; empty if it has none. */
  configuration: Readonly<Record<string, unknown>>;
  attachments: ToolAttachments;
  /** Adds a sentence to the warnings of the result. */
  warn: (warning: string) => void;
  /** Searches the web; see `WebSearch.search`. */
  searchWeb: (query: string, limit: number, signal: AbortSignal) => Promise<WebResult[]>;
  /** Makes an outgoing call; see `GuardedHttp.fetch`. */
  fetch: GuardedHttp['fetch'];
  /** What the caller may know about an address that is blocked; null: nothing. */
  explainBlocked: () => Promise<string | null>;
}

/** The attachments of the session; none if no session makes the call. */
interface ToolAttachments {
  /** Returns null if the session has no such attachment. */
  read: (id: string) => Promise<{ mime: string; data: Buffer } | null>;
}
