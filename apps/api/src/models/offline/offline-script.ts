import type { ModelMessage, ModelTool } from '../port/model-provider.ts';

/** A tool call that a directive requests. */
export interface ScriptedCall {
  name: string;
  arguments: string;
}

export type Action =
  | { kind: 'say'; text: string }
  | { kind: 'think'; ms: number }
  | { kind: 'long'; words: number }
  | { kind: 'fail' }
  /** Calls that the model makes at the same time, at the end of its step. */
  | { kind: 'calls'; calls: ScriptedCall[] };

type Directive = Exclude<Action, { kind: 'calls' }> | { kind: 'call'; call: ScriptedCall };

const DIRECTIVE = /^\/(call|local|ask-many|ask|think|long|fail)(?:\s+(.*))?$/;
/** The tool by which a model asks the user. */
export const ASK_TOOL = 'ask_user';
const MAX_THINK_MS = 600_000;
const MAX_WORDS = 100_000;

/** The text without its directives. */
export function withoutDirectives(text: string): string {
  const kept = text.split('\n').filter((line) => !DIRECTIVE.test(line.trim()));
  return kept.join('\n').trim();
}

/**
 * Parses the directives of a text in their order, starting after the first `answered` calls.
 * Calls on adjacent lines are made together. A tool call below a question waits for the response of the user.
 */
export function readScript(text: string, tools: ModelTool[], answered: number): Action[] {
  const names = new Set(tools.map(({ name }) => name));
  const actions: Action[] = [];
  let made = 0;
  let above: ScriptedCall | null = null;
  for (const line of text.split('\n')) {
    const directive = readDirective(line.trim(), names);
    if (directive?.kind !== 'call') {
      above = null;
      if (directive) actions.push(directive);
      continue;
    }
    const { call } = directive;
    const last = actions.at(-1);
    const joins = above !== null && (above.name !== ASK_TOOL || call.name === ASK_TOOL);
    if (++made <= answered) actions.length = 0;
    else if (joins && last?.kind === 'calls') last.calls.push(call);
    else actions.push({ kind: 'calls', calls: [call] });
    above = call;
  }
  return actions;
}

/** How many tool calls the model has made since the last message of the user. */
export function callsMade(messages: ModelMessage[]): number {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  return since.reduce(
    (sum, message) => sum + (message.role === 'assistant' ? message.toolCalls.length : 0),
    0,
  );
}

function readDirective(line: string, names: ReadonlySet<string>): Directive | null {
  const [, word, rest = ''] = DIRECTIVE.exec(line) ?? [];
  switch (word) {
    case 'think':
      return { kind: 'think', ms: amount(rest, MAX_THINK_MS) };
    case 'long':
      return { kind: 'long', words: amount(rest, MAX_WORDS) };
    case 'fail':
      return { kind: 'fail' };
    case 'call':
      return offered(
        readCall(rest, (name) => name.replace(/\.(?=[^.]*$)/, '__')),
        names,
      );
    case 'local':
      return offered(
        readCall(rest, (name) => name),
        names,
      );
    case 'ask':
    case 'ask-many':
      return offered(readQuestion(rest, word === 'ask-many'), names);
    case undefined:
    default:
      return null;
  }
}

/** Calls only tools that were offered, and says so about others. */
function offered(call: ScriptedCall, names: ReadonlySet<string>): Directive {
  if (names.has(call.name)) return { kind: 'call', call };
  return { kind: 'say', text: `The tool ${call.name} is not offered to me.` };
}

/** Parses `name {json}`. The JSON is passed on as written, so that invalid JSON can be tried. */
function readCall(rest: string, modelName: (name: string) => string): ScriptedCall {
  const [, name = '', json = ''] = /^([^{]*)(.*)$/.exec(rest) ?? [];
  return { name: modelName(name.trim()).replace(/[^\w-]/g, '_'), arguments: json.trim() || '{}' };
}

/** `question | option | … [| other]` */
function readQuestion(rest: string, multiple: boolean): ScriptedCall {
  const [question = '', ...labels] = rest.split('|').map((part) => part.trim());
  const allowOther = labels.at(-1) === 'other';
  const options = (allowOther ? labels.slice(0, -1) : labels).map((label) => ({ label }));
  return { name: ASK_TOOL, arguments: JSON.stringify({ question, options, multiple, allowOther }) };
}

function amount(text: string, most: number): number {
  const value = Number.parseInt(text, 10);
  return Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), most);
}
