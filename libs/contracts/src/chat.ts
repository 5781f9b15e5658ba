export type ImageDetail = 'auto' | 'low' | 'high';

export interface TextContent {
  type: 'text';
  text: string;
}

export interface ImageContent {
  type: 'image_url';
  /** HTTP(S) URL or `data:<type>;base64,…`. */
  image_url: { url: string; detail?: ImageDetail };
}

export interface AudioContent {
  type: 'audio';
  audio_url: { url: string };
}

export interface FileContent {
  type: 'file';
  /** `url` is required; all other keys are stored as metadata. */
  file_info: { url: string; name?: string; [key: string]: unknown };
}

export type ContentItem = TextContent | ImageContent | AudioContent | FileContent;

export interface ChatSettings {
  /** 0 to 2. */
  temperature?: number | null;
  /** At least 1; reduced to the output limit of the model. */
  max_tokens?: number | null;
  /** 0 to 1. */
  top_p?: number | null;
  frequency_penalty?: number | null;
  presence_penalty?: number | null;
  /** With `ask`, the model is offered only tools without side effects. */
  chat_mode?: 'ask' | 'agent' | null;
  disable_web_search?: boolean | null;
}

export interface ChatRequest {
  contents: ContentItem[];
  /** 1 to 128 characters. Continues the session with this id, or creates it. */
  session_id?: string | null;
  /** UUID, one per user turn. Send it again only to retry that turn. */
  turnId?: string | null;
  /** Default true. */
  stream?: boolean | null;
  settings?: ChatSettings | null;
  /** The name of a model of the space, in place of the agent's; only for the owner of the agent and admins. */
  model?: string | null;
  /** Local tools of the agent that this client can run. */
  registeredLocalTools?: string[] | null;
}

export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cost: number;
  /** Present if the provider reported no usage and the service counted the tokens itself. */
  estimated?: true;
}

export type TurnOutcome = 'completed' | 'input_required' | 'cancelled';

export const TURN_STATUSES = [
  'QUEUED',
  'RUNNING',
  'INPUT_REQUIRED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];

export interface InteractionOption {
  id: string;
  label: string;
  description?: string;
}

/** A question that the agent asks the user. */
export interface Interaction {
  interactionId: string;
  turnId: string;
  sessionId: string;
  kind: 'single' | 'multi';
  question: string;
  options: InteractionOption[];
  allowOther: boolean;
  otherLabel?: string;
  minSelected: number;
  maxSelected: number;
  createdAt: string;
  expiresAt: string;
}

export interface ToolExecution {
  callId: string;
  toolId: string;
  tool: string;
  method: string;
  status: 'started' | 'succeeded' | 'failed' | 'denied';
  arguments: Record<string, unknown>;
  result?: unknown;
  error?: { code: string; message: string };
  startedAt: string;
  durationMs?: number;
  truncated?: boolean;
  metadata: { kind: string; httpStatus?: number; cached?: boolean; warnings?: string[] };
}

export interface EvidenceDocument {
  id: string;
  title: string;
  snippet: string;
  score: number;
  source: 'knowledge' | 'web';
  url?: string;
}

export interface KnowledgeEvidence {
  query: string;
  documents: EvidenceDocument[];
  retrievalMs: number;
  /** If a requested search did not take place: the reason, as one sentence. */
  notice?: string;
}

/** The response to a chat request without streaming. */
export interface ChatResponse {
  session_id: string;
  turnId: string;
  status: TurnOutcome;
  contents: TextContent[];
  answer: string;
  toolExecutions: ToolExecution[];
  knowledgeEvidence: KnowledgeEvidence[];
  interaction: Interaction | null;
  tokens_used: number;
  token_usage: TokenUsage;
  /** Seconds. */
  execution_time: number;
}

export interface Session {
  sessionId: string;
  agentId: string;
  /** The first words of the session. */
  title: string;
  turnCount: number;
  runningTurnId: string | null;
  createdAt: string;
  lastTurnAt: string;
}

export interface RenameSessionRequest {
  /** 1 to 200 characters. */
  title: string;
}

export interface Attachment {
  id: string;
  mime: string;
  bytes: number;
  /** Path relative to the service's base URL. Downloading requires the same credential. */
  url: string;
}

export type MessageContent =
  | TextContent
  | { type: 'image_url'; image_url: { url: string; detail: ImageDetail }; attachment?: Attachment }
  | { type: 'audio'; audio_url: { url: string }; attachment?: Attachment }
  | { type: 'file'; file_info: Record<string, unknown>; attachment?: Attachment };

export interface Message {
  id: string;
  turnId: string;
  role: 'user' | 'assistant';
  contents: MessageContent[];
  /** Status of the turn that the message belongs to. */
  turnStatus: TurnStatus;
  createdAt: string;
}

export type SegmentOrigin = 'start' | 'resume' | 'rerun';

export interface TurnSegment {
  segment: number;
  origin: SegmentOrigin;
  lastSeq: number;
  ended: boolean;
}

export interface Turn {
  turnId: string;
  sessionId: string;
  agentId: string;
  status: TurnStatus;
  /** Why the turn failed or was cancelled. */
  error: { code: string; message: string; retryable: boolean } | null;
  model: string | null;
  token_usage: TokenUsage;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** Seconds; null while the turn runs. */
  execution_time: number | null;
  segments: TurnSegment[];
}

export interface ResumeRequest {
  sessionId: string;
  interactionId: string;
  /** Ids of the chosen options, never their labels. */
  selectedOptionIds: string[];
  /** Free text; only if the question allows it. */
  otherText?: string | null;
}

export interface CancelRequest {
  sessionId: string;
}

export interface CancelResponse {
  turnId: string;
  sessionId: string;
  /** `cancelling`: the turn still runs and will end as cancelled. Otherwise the status in which the turn has ended. */
  status: 'cancelling' | 'cancelled' | 'completed' | 'failed';
}

/** The outcome of a local tool call: exactly one of result, error, or denied. */
export type LocalToolResultRequest =
  { result: unknown } | { error: string } | { denied: true; reason?: string | null };

export interface ExecuteSettings {
  /** 0 to 1. */
  temperature?: number | null;
  /** At least 1. */
  maxTokens?: number | null;
  /** 0 to 1. */
  top_p?: number | null;
  presence_penalty?: number | null;
  frequency_penalty?: number | null;
}

/** All keys that are not listed here are variables of the agent's prompt. */
export interface ExecuteInputs {
  query?: string | null;
  session_id?: string | null;
  /** If false (the default), the execution reads no history and stores none. */
  memory?: boolean | null;
  /** Default false. */
  context?: boolean | null;
  /** Default false. */
  internet?: boolean | null;
  images?: string[] | null;
  audios?: string[] | null;
  [variable: string]: unknown;
}

export interface ExecuteRequest {
  inputs: ExecuteInputs;
  settings?: ExecuteSettings | null;
  /** Default false. */
  stream?: boolean | null;
  /** The name of a model of the space, in place of the agent's; only for the owner of the agent and admins. */
  model?: string | null;
  /** Local tools of the agent that this client can run. Requires `stream`. */
  registeredLocalTools?: string[] | null;
}

export interface ExecuteResponse {
  answer: string;
  agent_id: string;
  /** Seconds. */
  execution_time: number;
  token_usage: TokenUsage;
}
