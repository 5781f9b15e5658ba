import type { PageQuery } from './page.ts';

export const TOOL_KINDS = ['http', 'speech', 'builtin'] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** How a tool authenticates. Secrets are write-only: leaving one out of an update keeps the stored one. */
export type ToolAuth =
  | { type: 'none' }
  | { type: 'apiKey'; in: 'header' | 'query' | 'cookie'; name: string; value?: string | null }
  | { type: 'bearer'; token?: string | null }
  | { type: 'basic'; username: string; password?: string | null }
  | { type: 'header'; name: string; value?: string | null };

/** The authentication in a response: without its secret. */
export type ToolAuthStatus =
  | { type: 'none' }
  | { type: 'apiKey'; in: 'header' | 'query' | 'cookie'; name: string; configured: boolean }
  | { type: 'bearer'; configured: boolean }
  | { type: 'basic'; username: string; configured: boolean }
  | { type: 'header'; name: string; configured: boolean };

export const PORT_LOCATIONS = ['path', 'query', 'header', 'cookie', 'body'] as const;
export type MethodPortLocation = (typeof PORT_LOCATIONS)[number];

/** Maps a property of the input to its place in the HTTP request. */
export interface MethodBinding {
  port: string;
  in: MethodPortLocation;
  /** Absent for a body that is one port. */
  name?: string;
  style?: string;
  explode?: boolean;
  /** The value is sent as text of this media type. */
  mediaType?: string;
  allowReserved?: boolean;
  /** Swagger 2.0: csv, ssv, tsv, pipes, multi. */
  collectionFormat?: string;
}

export interface MethodCache {
  /** 0: responses are not cached. At most 86,400. */
  ttlSeconds: number;
}

export interface MethodRetry {
  /** Further attempts: 0 to 5. */
  attempts: number;
  /** Before the first of them; doubled for each further one. */
  backoffMs: number;
}

/** A method as a request sends it. */
export interface ToolMethodRequest {
  /** 1 to 64 of `[A-Za-z0-9_-]`; unique in the tool, also if case is ignored. */
  name: string;
  description?: string | null;
  /** In lowercase, such as get. */
  httpMethod: string;
  path: string;
  /** Overrides that of the tool. */
  serverUrl?: string | null;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | null;
  bindings?: MethodBinding[] | null;
  bodyMediaType?: string | null;
  encoding?: Record<string, unknown> | null;
  /** Such as `GET /pets/{id}`. Default: built from httpMethod and path. */
  operationKey?: string | null;
  /** Whether the method has side effects. Default: judged by the verb. */
  acts?: boolean | null;
  /** The method as it was converted at the last import, for the next one. */
  imported?: Record<string, unknown> | null;
  cache?: MethodCache | null;
  retry?: MethodRetry | null;
  /** 1,000 to 300,000; default 30,000. */
  timeoutMs?: number | null;
  enabled?: boolean | null;
  deprecated?: boolean | null;
}

export type UpdateToolMethodRequest = Partial<ToolMethodRequest>;

export interface ToolMethod {
  name: string;
  description: string;
  httpMethod: string;
  path: string;
  serverUrl: string | null;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  bindings: MethodBinding[];
  bodyMediaType: string | null;
  encoding: Record<string, unknown> | null;
  operationKey: string;
  acts: boolean;
  imported: Record<string, unknown> | null;
  cache: MethodCache;
  retry: MethodRetry;
  timeoutMs: number;
  enabled: boolean;
  deprecated: boolean;
}

/** A method in a list of tools. */
export type ToolMethodSummary = Pick<
  ToolMethod,
  'name' | 'description' | 'httpMethod' | 'path' | 'acts' | 'enabled' | 'deprecated'
>;

/** A tool in a list. */
export interface ToolListing {
  /** A UUID, or the name of a tool of the platform. */
  id: string;
  name: string;
  description: string;
  kind: ToolKind;
  serverUrl: string;
  auth: ToolAuthStatus;
  methodCount: number;
  createdAt: string | null;
  updatedAt: string | null;
}

export interface Tool extends ToolListing {
  methods: ToolMethod[];
}

export interface CreateToolRequest {
  /** 1 to 120 characters, unique in the space. */
  name: string;
  description?: string | null;
  /** Only `http` can be created. */
  kind?: 'http' | null;
  /** The base address of the API. */
  serverUrl: string;
  auth?: ToolAuth | null;
  /** At most 500. */
  methods?: ToolMethodRequest[] | null;
}

/** Methods have routes of their own. */
export type UpdateToolRequest = Partial<Omit<CreateToolRequest, 'methods' | 'kind'>>;

export interface AddToolMethodsRequest {
  /** 1 to 500. */
  methods: ToolMethodRequest[];
}

/** A change of one method. Its name stays. */
export interface ToolMethodChange {
  name: string;
  change: Omit<UpdateToolMethodRequest, 'name'>;
}

/** Changes of several methods, such as those of a newer document: all of them or none. */
export interface ChangeToolMethodsRequest {
  /** That of the tool as the caller knows it. If the tool has changed since, nothing is done. */
  updatedAt: string;
  add?: ToolMethodRequest[] | null;
  update?: ToolMethodChange[] | null;
  /** Names. */
  remove?: string[] | null;
}

export type ToolQuery = PageQuery;

export interface InvokeToolRequest {
  input?: Record<string, unknown> | null;
}

/** What the server of a tool sent besides the output. */
export interface ToolServerResponse {
  /** Of the decoded body. */
  bytes: number;
  /** By their names in lower case. The secret of the tool and the values of cookies are masked. */
  headers: Record<string, string>;
}

/** The result of a call. Every HTTP response is one, whatever its status. */
export interface ToolInvocation {
  /** The HTTP status; 200 for tools of the platform. */
  status: number;
  /** JSON if the response is JSON, otherwise text; null if it is empty or binary. */
  output: unknown;
  durationMs: number;
  cached: boolean;
  /** For example about an output that does not match its schema. */
  warnings: string[];
  /** Null for tools of the platform, and if the output is from the cache. */
  response: ToolServerResponse | null;
}

/** The languages that speech recognition has engines for. */
export const SPEECH_LANGUAGES = [
  'zh-CN',
  'zh-TW',
  'en-US',
  'ja-JP',
  'ko-KR',
  'es-ES',
  'fr-FR',
  'de-DE',
  'ru-RU',
] as const;
export type SpeechLanguage = (typeof SPEECH_LANGUAGES)[number];

export const SPEECH_FORMATS = ['wav', 'mp3', 'm4a', 'pcm', 'aac'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** The configuration of the speech tool in a space. */
export interface SpeechToolConfiguration {
  region: string;
  engineType: string;
  timeout: number;
  maxFileSize: number;
  maxDuration: number;
  defaultLanguage: string;
  endpoint: string | null;
  protocol: 'http' | 'https';
  appId: string | null;
  /** Whether credentials are set, in the space or in the environment. */
  credentials: 'none' | 'environment' | 'space';
  /** What is wrong, without values. Empty if the tool can be used. */
  problems: string[];
}

export interface UpdateSpeechToolRequest {
  /** Write-only. */
  secretId?: string | null;
  /** Write-only. */
  secretKey?: string | null;
  appId?: string | null;
  region?: string | null;
  engineType?: string | null;
  timeout?: number | null;
  maxFileSize?: number | null;
  maxDuration?: number | null;
  defaultLanguage?: string | null;
  endpoint?: string | null;
  protocol?: 'http' | 'https' | null;
}
