import type { CreateToolRequest, Tool } from './schemas.ts';
import type { PageQuery } from './page.ts';

export const TOOL_KINDS = ['http', 'speech', 'builtin'] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** Which redirects the calls of a tool follow. */
export const TOOL_REDIRECTS = ['none', 'same-origin', 'any'] as const;
export type ToolRedirects = (typeof TOOL_REDIRECTS)[number];

export type ToolAuth = NonNullable<CreateToolRequest['auth']>;
export type ToolAuthStatus = Tool['auth'];

export const PORT_LOCATIONS = ['path', 'query', 'header', 'cookie', 'body'] as const;
export type MethodPortLocation = (typeof PORT_LOCATIONS)[number];
export type ToolQuery = PageQuery;

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

/** What a policy says of a call, from the most lenient to the strictest. */
export const CALL_MODES = ['run', 'ask-once-per-session', 'ask', 'never'] as const;
export type CallMode = (typeof CALL_MODES)[number];

/** Who approves a call, unless the policy names people. `others`: admins who did not ask for the call. */
export const APPROVER_GROUPS = ['requester', 'admins', 'others'] as const;
export type ApproverGroup = (typeof APPROVER_GROUPS)[number];
export type Approvers = ApproverGroup | { userIds: string[] };

/** The rule that decided about a call. */
export const POLICY_RULES = ['default', 'method', 'agent', 'step'] as const;
export type PolicyRule = (typeof POLICY_RULES)[number];

/** What a turn or a run needs a person for. */
export const QUESTION_PURPOSES = ['question', 'approval', 'connection', 'form'] as const;
export type QuestionPurpose = (typeof QUESTION_PURPOSES)[number];
