import type { CreateToolRequest, Tool } from './schemas.ts';
import type { PageQuery } from './page.ts';

export const TOOL_KINDS = ['http', 'mcp', 'speech', 'builtin'] as const;
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
