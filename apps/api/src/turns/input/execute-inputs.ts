import {
  listVariables,
  type AgentSettings,
  type AgentVariable,
  type ContentItem,
  type ExecuteInputs,
  type ExecuteSettings,
} from '@platform/contracts';
import { assertRenderable, listMissingVariables, RESERVED_INPUTS } from '../../agents/template.ts';
import { invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import { checkMediaUrl } from './contents.ts';
import type { TurnSettings } from '../records/turn.ts';

const MAX_MEDIA = 64;
const MAX_INPUTS = 1_000;
/** What a session can be called. */
export const SESSION_NAME = 'a text of 1 to 128 characters, without U+0000';
/** The user message if the prompt contains everything: providers require one. */
const PROMPT_ALONE = 'Go ahead.';

/** Returns the problems of `inputs`. Unknown keys are variables and can have any value. */
export function checkInputs(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path} must be an object`];
  const inputs = value as Record<string, unknown>;
  if (Object.keys(inputs).length > MAX_INPUTS) return [`${path} must have at most ${MAX_INPUTS} keys`];
  const problems: string[] = [];
  const check = (key: string, ok: (field: unknown) => boolean, expected: string) => {
    const field = inputs[key] ?? undefined;
    if (field !== undefined && !ok(field)) problems.push(`${path}.${key} must be ${expected}`);
  };
  check('query', (field) => typeof field === 'string', 'a string');
  check('session_id', isSessionName, SESSION_NAME);
  for (const flag of ['memory', 'context', 'internet']) {
    check(flag, (field) => typeof field === 'boolean', 'a boolean');
  }
  for (const media of ['images', 'audios']) {
    check(
      media,
      (field) => Array.isArray(field) && field.length <= MAX_MEDIA,
      `a list of at most ${MAX_MEDIA} URLs`,
    );
    const urls = inputs[media];
    if (Array.isArray(urls) && urls.length <= MAX_MEDIA)
      problems.push(...urls.flatMap((url, i) => checkMediaUrl(url, `${path}.${media}[${i}]`)));
  }
  return problems;
}

/** The request of an execution, as a turn stores it. */
export interface Execution {
  contents: ContentItem[];
  variables: Record<string, unknown>;
  sessionName: string | null;
  /** Reads and writes the session. */
  memory: boolean;
  /** Searches the documents of the space. */
  knowledge: boolean;
  /** Searches the web. */
  internet: boolean;
}

/**
 * Parses validated inputs for the agent's prompt. Throws VALIDATION_ERROR if a variable or the query is missing; `path` is how the
 * caller knows the variables.
 */
export function readInputs(
  inputs: ExecuteInputs,
  agent: { systemPrompt: string; variables: AgentVariable[] },
  path = 'inputs',
): Execution {
  const reserved: readonly string[] = RESERVED_INPUTS;
  const variables = Object.fromEntries(Object.entries(inputs).filter(([key]) => !reserved.includes(key)));
  const missing = listMissingVariables(agent.systemPrompt, agent.variables, variables);
  if (missing.length > 0)
    throw invalidFor(missing.map((name) => `${path}.${name} is required by the prompt`));
  assertRenderable(agent.systemPrompt, agent.variables, variables);
  const contents: ContentItem[] = [
    ...(inputs.query ? [{ type: 'text' as const, text: inputs.query }] : []),
    ...(inputs.images ?? []).map((url) => ({ type: 'image_url' as const, image_url: { url } })),
    ...(inputs.audios ?? []).map((url) => ({ type: 'audio' as const, audio_url: { url } })),
  ];
  if (contents.length === 0) {
    if (listVariables(agent.systemPrompt).length === 0) {
      throw invalid('inputs must have query, images or audios: the prompt of this agent takes no variables');
    }
    contents.push({ type: 'text', text: PROMPT_ALONE });
  }
  return {
    contents,
    variables,
    sessionName: inputs.session_id ?? null,
    memory: inputs.memory ?? false,
    knowledge: inputs.context ?? false,
    internet: inputs.internet ?? false,
  };
}

/** The settings of an execution with the agent's defaults, which are clamped to the narrower ranges. */
export function executeSettings(
  defaults: AgentSettings,
  asked: ExecuteSettings,
  { variables, memory, knowledge, internet }: Omit<Execution, 'contents' | 'sessionName'>,
  { interactive, registeredLocalTools = [] }: { interactive: boolean; registeredLocalTools?: string[] },
): TurnSettings {
  const inUnit = (value: number | null | undefined) =>
    value == null ? undefined : Math.min(1, Math.max(0, value));
  return {
    temperature: asked.temperature ?? inUnit(defaults.temperature),
    maxTokens: asked.maxTokens ?? defaults.max_tokens ?? undefined,
    topP: asked.top_p ?? inUnit(defaults.top_p),
    frequencyPenalty: asked.frequency_penalty ?? defaults.frequency_penalty ?? undefined,
    presencePenalty: asked.presence_penalty ?? defaults.presence_penalty ?? undefined,
    chatMode: 'agent',
    disableWebSearch: false,
    knowledge,
    internet,
    memory,
    registeredLocalTools: interactive ? registeredLocalTools : [],
    interactive,
    source: 'execute',
    variables,
  };
}

export function isSessionName(value: unknown): boolean {
  return isText(value) && value.length >= 1 && value.length <= 128;
}
