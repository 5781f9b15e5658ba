import type { CreateToolRequest, ListToolsQuery, Tool } from './schemas.ts';
import type { PageQuery } from './page.ts';

export type ToolKind = 'http' | 'mcp' | 'speech' | 'builtin';

/** Which redirects the calls of a tool follow. */
export const TOOL_REDIRECTS = ['none', 'same-origin', 'any'] as const;
export type ToolRedirects = (typeof TOOL_REDIRECTS)[number];

export type ToolAuth = NonNullable<CreateToolRequest['auth']>;
export type ToolAuthStatus = Tool['auth'];

export const PORT_LOCATIONS = ['path', 'query', 'header', 'cookie', 'body'] as const;
export type MethodPortLocation = (typeof PORT_LOCATIONS)[number];
export type ToolQuery = ListToolsQuery;

const MANAGED_HEADERS = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header is set by the platform alone, so that no value of an input can set it. */
export function isManagedHeader(name: string): boolean {
  return MANAGED_HEADERS.has(name.toLowerCase()) || /^(?:proxy|sec|x-platform)-/i.test(name);
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

/** What one connects to: an OAuth 2 server, or one that takes a secret of each person. */
export const CONNECTION_PROVIDER_KINDS = ['oauth2', 'key', 'bearer', 'basic', 'header'] as const;
export type ConnectionProviderKind = (typeof CONNECTION_PROVIDER_KINDS)[number];

export type ConnectionKind = 'oauth2-code' | 'oauth2-client' | 'key' | 'bearer' | 'basic' | 'header';

/** EXPIRED: its owner has to sign in again. */
export type ConnectionStatus = 'ACTIVE' | 'EXPIRED' | 'REVOKED';

/** Why a connection is not usable, or, while it is ACTIVE, why it could not be renewed the last time. */
export type ConnectionReason =
  /** The provider refused to renew it: it was revoked there, or ended. */
  | 'GRANT_ENDED'
  /** It was renewed, but the answer never arrived, and the provider renews only once. */
  | 'LOST_ANSWER'
  /** The token has expired, and the provider gave nothing to renew it with. */
  | 'TOKEN_EXPIRED'
  /** An admin changed where the provider is, or who the platform is to it. */
  | 'PROVIDER_CHANGED'
  | 'PROVIDER_DOWN'
  /** The provider no longer knows the platform: its client id or secret is wrong. */
  | 'CLIENT_REFUSED';

/** Whose connection one makes. */
export const CONNECTION_OWNERS = ['me', 'space'] as const;
export type ConnectionOwner = (typeof CONNECTION_OWNERS)[number];

export const OAUTH_CLIENT_AUTHS = ['basic', 'post', 'none'] as const;
export type OAuthClientAuth = (typeof OAUTH_CLIENT_AUTHS)[number];

export const OAUTH_TOKEN_FORMATS = ['form', 'json'] as const;
export type OAuthTokenFormat = (typeof OAUTH_TOKEN_FORMATS)[number];

export const PLACEMENTS = ['header', 'query', 'cookie'] as const;

/** Why a sign-in at a provider failed: `problem` in the address of the page on which it ends. */
export const SIGN_IN_PROBLEMS = [
  /** Unknown, already used, begun in another browser, or too old. */
  'STATE',
  /** The person has signed out or left the space meanwhile, or is no longer an admin. */
  'SESSION',
  'DENIED',
  /** The answer is from another issuer than the one that was asked. */
  'ISSUER',
  'REFUSED',
  'UNREACHABLE',
  'INVALID_ANSWER',
  'GONE',
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

export type ConnectionQuery = PageQuery;

/** What a policy says of a call, from the most lenient to the strictest. */
export const CALL_MODES = ['run', 'ask-once-per-session', 'ask', 'never'] as const;
export type CallMode = (typeof CALL_MODES)[number];

/** Who approves a call, unless the policy names people. `others`: admins who did not ask for the call. */
export const APPROVER_GROUPS = ['requester', 'admins', 'others'] as const;
export type ApproverGroup = (typeof APPROVER_GROUPS)[number];
export type Approvers = ApproverGroup | { userIds: string[] };

/** The rule that decided about a call. */
export type PolicyRule = 'default' | 'method' | 'agent' | 'step';

/** What a turn or a run needs a person for. */
export type QuestionPurpose = 'question' | 'approval' | 'connection' | 'form';
