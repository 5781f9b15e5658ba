import type {
  MethodBinding,
  MethodCache,
  MethodRetry,
  ToolRedirects,
  ToolServerResponse,
} from '@platform/contracts';
import type { OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import type { Secrets } from '../../models/port/secrets.ts';
import type { AuthParts } from './auth-kinds/auth-kind.ts';
import type { CallAnswer } from './call-pause.ts';
import type { Pair } from './serialize.ts';

/** What tools that are stored speak with their servers. */
export type ToolProtocol = 'http' | 'mcp';

/** A method with everything that a call needs. */
export interface CallableMethod {
  id: string;
  toolId: string;
  toolName: string;
  spaceId: string;
  protocol: ToolProtocol;
  /** Of the method, or of its tool. */
  serverUrl: string;
  /** Which redirects are followed. */
  redirects: ToolRedirects;
  httpMethod: string;
  path: string;
  /** What the server calls the method. */
  operationKey: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  /** Null: the whole output. */
  outputFields: string[] | null;
  bindings: MethodBinding[];
  bodyMediaType: string | null;
  encoding: Record<string, unknown> | null;
  cache: MethodCache;
  retry: MethodRetry;
  timeoutMs: number;
  /** The last import. */
  imported: Record<string, unknown> | null;
  /** When the server was last asked whether it has changed its methods; null: never, or it said that it has. */
  checkedAt: Date | null;
  /** Changes with the method, so that cached responses of its past are not used. */
  version: string;
}

export interface CallOptions {
  /** The person in whose name the call is made. A session of a server belongs to one person. */
  userId: string;
  signal?: AbortSignal;
  /** What a person did after the call before threw a `CallPause`. */
  answer?: CallAnswer;
  /** Whether the call can be made again without another effect. Default: if the verb says so. */
  isRepeatable?: boolean;
  /** The header that names the effect of the call, with its value. */
  key?: Pair;
  /** The value of `X-Platform-Causation`. Only the platform itself receives it. */
  causation?: string;
  /** Reads an attachment that the input names as `attachment:<id>`. */
  readAttachment?(id: string): Promise<{ mime: string; data: Buffer } | null>;
  /** Keeps a file that a response is. Returns its id. */
  saveAttachment?: (file: { mime: string; data: Buffer }) => Promise<string>;
  /** What the caller may know about an address that is blocked; null: nothing. */
  explainBlocked?: () => Promise<string | null>;
}

/** A call of a method whose input is valid. */
export interface CallDraft {
  method: CallableMethod;
  input: Record<string, unknown>;
  options: CallOptions;
}

/** All that differs between the protocols that the servers of tools speak. */
export interface CallProtocol {
  /** Throws VALIDATION_ERROR for an input that cannot be sent. Sends nothing yet. */
  prepare(draft: CallDraft): Promise<PreparedCall>;
}

/** A call whose input is complete, with the files that it names. */
export interface PreparedCall {
  /** Whether another call with the same input is the same call. */
  isCacheable: boolean;
  /** The call with one authentication; with another one if the first was refused. */
  as(auth: CallAuth): AuthenticatedRequest;
}

export interface CallAuth {
  parts: AuthParts;
  /** Changes with what authenticates the call, and reveals nothing. */
  key: string;
  secrets: Secrets;
}

export interface AuthenticatedRequest {
  auth: CallAuth;
  warnings: string[];
  /** Makes the call. `timeoutMs` is a positive integer. Throws `CallPause`, and TOOL_ERROR for what is not worth another attempt. */
  attempt: (timeoutMs: number) => Promise<{ failure: OutgoingError } | ServerAnswer>;
}

export interface ServerAnswer {
  /** Whether the response is worth another attempt. */
  isRetried: boolean;
  retryAfter: string | null;
  /** Not null if the server responded with 401. `isRepeatable`: whether the call had no effect, or has the same one again. */
  refusal: { isRepeatable: boolean } | null;
  read(): Promise<CallResponse>;
}

/** What a call came to, before it is masked, validated, and kept. */
export interface CallResponse {
  status: number;
  output: unknown;
  /** Whether the output is what a successful call returns, so that it can be validated, and its fields be chosen. */
  isUsable: boolean;
  /** Whether the output is the same for every caller. */
  isKept: boolean;
  warnings: string[];
  response: ToolServerResponse | null;
}
