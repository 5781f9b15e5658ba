import {
  listVariables,
  type Agent,
  type AgentListing,
  type AgentVariable,
  type ChatRequest,
  type ContentItem,
  type CreateJobRequest,
  type ExecuteInputs,
  type ExecuteRequest,
} from '@platform/contracts';
import { isFullAgent } from '../../agents/agent.ts';
import type { MODEL_PARAMETERS } from '../../agents/form/model-parameters.ts';
import { ATTACHMENT_KINDS } from '../contents/part-kinds.ts';

export const CALL_KINDS = ['chat', 'execute', 'job'] as const;
/** The part of the API that a message is sent to. */
export type CallKind = (typeof CALL_KINDS)[number];

/** A request as the playground sends it. */
export type Call =
  | { kind: 'chat'; request: ChatRequest }
  | { kind: 'execute'; request: ExecuteRequest }
  | { kind: 'job'; request: CreateJobRequest };

/** A parameter of the model that a request can override. */
type Parameter = (typeof MODEL_PARAMETERS)[number]['name'];

/** What the next messages are sent with. An absent parameter means that of the agent. */
export interface RunOptions {
  kind: CallKind;
  model?: string;
  parameters: Partial<Record<Parameter, number>>;
  /** Of a chat: whether tools that act are left out, and web search. */
  askOnly: boolean;
  noWebSearch: boolean;
  /** Of an execution: whether it reads and writes the conversation, and what it searches. */
  memory: boolean;
  context: boolean;
  internet: boolean;
  variables: Record<string, string>;
}

export const NEW_OPTIONS: RunOptions = {
  kind: 'chat',
  parameters: {},
  askOnly: false,
  noWebSearch: false,
  memory: true,
  context: false,
  internet: false,
  variables: {},
};

/** Returns the options for another part of the API. Executions take a lower temperature than chats. */
export function withKind(options: RunOptions, kind: CallKind): RunOptions {
  const { temperature } = options.parameters;
  const isTooHigh = kind !== 'chat' && temperature !== undefined && temperature > 1;
  return { ...options, kind, ...(isTooHigh && { parameters: { ...options.parameters, temperature: 1 } }) };
}

/** Returns the variables of the agent's prompt; null if the user may not read the prompt. */
export function listPromptVariables(agent: Agent | AgentListing): AgentVariable[] | null {
  if (!isFullAgent(agent)) return null;
  return listVariables(agent.systemPrompt).map(
    (name) => agent.variables.find((variable) => variable.name === name) ?? { name },
  );
}

/** Returns the value of a variable, or ''. Any name is possible, also that of a built-in property. */
export const getVariable = (values: RunOptions['variables'], name: string): string =>
  Object.hasOwn(values, name) ? (values[name] ?? '') : '';

/** Returns the names of the variables without which the agent cannot be executed. */
export function listMissing(variables: readonly AgentVariable[], values: RunOptions['variables']): string[] {
  return variables
    .filter(
      ({ name, required = true, default: preset }) =>
        required && preset === undefined && getVariable(values, name) === '',
    )
    .map(({ name }) => name);
}

/** Whether the request has inputs instead of contents. A job takes both; only inputs have variables and searches. */
export function hasInputs({ kind, variables, memory, context, internet }: RunOptions): boolean {
  if (kind !== 'job') return kind === 'execute';
  return Object.values(variables).some(Boolean) || context || internet || !memory;
}

/** Whether the turn becomes part of the open conversation. */
export const isOfConversation = ({ request }: Call): boolean =>
  !('inputs' in request) || request.inputs.memory === true;

/** Whether inputs can carry the contents: they do not take every kind of attachment. */
export const fitInputs = (contents: readonly ContentItem[]): boolean =>
  contents.every(({ type }) => type === 'text' || ATTACHMENT_KINDS[type].input !== null);

/** Returns the request for a message. */
export function toCall(
  agentId: string,
  sessionId: string,
  contents: ContentItem[],
  options: RunOptions,
): Call {
  const { kind, model } = options;
  const chosen = model === undefined ? {} : { model };
  const ofContents = { contents, ...chosen, ...pack('settings', toChatSettings(options)) };
  if (kind === 'chat') return { kind, request: { session_id: sessionId, ...ofContents } };
  const inputs = toInputs(sessionId, contents, options);
  const ofInputs = { inputs, ...chosen, ...pack('settings', toExecuteSettings(options)) };
  if (kind === 'execute') return { kind, request: ofInputs };
  return hasInputs(options)
    ? { kind, request: { agentId, ...ofInputs } }
    : { kind, request: { agentId, session_id: sessionId, ...ofContents } };
}

/** Returns the variables of a request as they were sent. */
export function listSentVariables({ request }: Call): [name: string, value: string][] {
  if (!('inputs' in request)) return [];
  return Object.entries(request.inputs).flatMap(([name, value]): [string, string][] =>
    RESERVED.includes(name) || typeof value !== 'string' ? [] : [[name, value]],
  );
}

const RESERVED = ['query', 'session_id', 'memory', 'context', 'internet'].concat(
  Object.values(ATTACHMENT_KINDS).flatMap(({ input }) => input ?? []),
);

function toInputs(sessionId: string, contents: ContentItem[], options: RunOptions): ExecuteInputs {
  const { variables, memory, context, internet } = options;
  const query = contents.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n\n');
  return {
    ...Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== '')),
    ...(query !== '' && { query }),
    ...listAttached(contents),
    ...(memory && { memory, session_id: sessionId }),
    ...(context && { context }),
    ...(internet && { internet }),
  };
}

/** Returns the addresses of the attachments in the lists that inputs have for them. */
function listAttached(contents: readonly ContentItem[]): Pick<ExecuteInputs, 'images' | 'audios'> {
  const lists: Pick<ExecuteInputs, 'images' | 'audios'> = {};
  for (const item of contents) {
    if (item.type === 'text') continue;
    const kind = ATTACHMENT_KINDS[item.type];
    if (kind.input !== null) lists[kind.input] = [...(lists[kind.input] ?? []), kind.getUrl(item)];
  }
  return lists;
}

function toChatSettings({ parameters, askOnly, noWebSearch }: RunOptions) {
  return {
    ...parameters,
    ...(askOnly && { chat_mode: 'ask' as const }),
    ...(noWebSearch && { disable_web_search: true }),
  };
}

function toExecuteSettings({ parameters: { max_tokens: maxTokens, ...parameters } }: RunOptions) {
  return { ...parameters, ...(maxTokens !== undefined && { maxTokens }) };
}

function pack<Name extends string, Value extends object>(name: Name, value: Value): { [N in Name]?: Value } {
  return Object.keys(value).length === 0 ? {} : ({ [name]: value } as { [N in Name]: Value });
}
