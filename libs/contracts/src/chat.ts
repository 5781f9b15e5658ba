export type ImageDetail = 'auto' | 'low' | 'high';

export interface TextContent {
  type: 'text';
  text: string;
}

export interface ImageContent {
  type: 'image_url';
  /** HTTP(S) address or `data:<type>;base64,…`. */
  image_url: { url: string; detail?: ImageDetail };
}

export interface AudioContent {
  type: 'audio';
  audio_url: { url: string };
}

export interface FileContent {
  type: 'file';
  /** Needs `url`; every other key is kept as metadata. */
  file_info: { url: string; name?: string; [key: string]: unknown };
}

export type ContentItem = TextContent | ImageContent | AudioContent | FileContent;

export interface ChatSettings {
  /** 0 to 2. */
  temperature?: number | null;
  /** At least 1; lowered to what the model can do. */
  max_tokens?: number | null;
  /** 0 to 1. */
  top_p?: number | null;
  frequency_penalty?: number | null;
  presence_penalty?: number | null;
  /** `ask`: no tool that acts is offered. */
  chat_mode?: 'ask' | 'agent' | null;
  disable_web_search?: boolean | null;
}

export interface ChatRequest {
  contents: ContentItem[];
  /** 1 to 128 characters; continues, or starts, the conversation of that name. */
  session_id?: string | null;
  /** UUID, one per user turn; reused only to retry that turn. */
  turnId?: string | null;
  /** Default true. */
  stream?: boolean | null;
  settings?: ChatSettings | null;
  /** Local tools of the agent that this client has registered and can run. */
  registeredLocalTools?: string[] | null;
}

export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cost: number;
  /** Present where the provider gave no figures and they were counted locally. */
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

/** A question of the agent to the user. */
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
  /** Why nothing was searched although it was asked for, in one sentence. */
  notice?: string;
}

/** The answer of a chat that was not streamed. */
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
  /** First words of the conversation. */
  title: string;
  turnCount: number;
  runningTurnId: string | null;
  createdAt: string;
  lastTurnAt: string;
}

export interface Attachment {
  id: string;
  mime: string;
  bytes: number;
  /** Path below the service's address; needs the same credential. */
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
  /** How the turn stands that the message belongs to. */
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
  /** Why it failed or was cancelled. */
  error: { code: string; message: string; retryable: boolean } | null;
  model: string | null;
  token_usage: TokenUsage;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** Seconds, null while it runs. */
  execution_time: number | null;
  segments: TurnSegment[];
}

export interface ResumeRequest {
  sessionId: string;
  interactionId: string;
  /** Ids of the chosen options, never their labels. */
  selectedOptionIds: string[];
  /** The user's own words, only where the question allows them. */
  otherText?: string | null;
}

export interface CancelRequest {
  sessionId: string;
}

export interface CancelResponse {
  turnId: string;
  sessionId: string;
  /** `cancelling`: the running instance has been told; the others are how the turn stands. */
  status: 'cancelling' | 'cancelled' | 'completed' | 'failed';
}

/** What a client did with a local tool call; exactly one of the three. */
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

/** Recognised fields; every other key is a variable of the agent's prompt. */
export interface ExecuteInputs {
  query?: string | null;
  session_id?: string | null;
  /** Default false: reads no history and leaves none behind. */
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
  /** Local tools of the agent that this client has registered and can run; only with `stream`. */
  registeredLocalTools?: string[] | null;
}

export interface ExecuteResponse {
  answer: string;
  agent_id: string;
  /** Seconds. */
  execution_time: number;
  token_usage: TokenUsage;
}
