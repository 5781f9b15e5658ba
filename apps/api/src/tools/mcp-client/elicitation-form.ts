import type { QuestionField } from '@platform/contracts';
import { AppError } from '../../infra/errors/app-error.ts';
import { shortened } from '../../infra/errors/error-message.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { shortenText } from '../../infra/runtime/shorten-text.ts';
import { CallPause, type CallAnswer } from '../calls/call-pause.ts';

const MAX_FIELDS = 50;
const MAX_CHOICES = 100;
const MAX_LABEL = 200;
/** Together they fit into a frame, which would lose the rest. */
const MAX_MESSAGE_BYTES = 5_000;
const MAX_FIELDS_BYTES = 16_384;
const MAX_STATE_LENGTH = 65_536;

/** Where the value of a field belongs. */
interface Slot {
  request: string;
  name: string;
  /** The values of choices that have titles. */
  values?: Record<string, string>;
  /** Of a list: the value that is in it if the box is checked. */
  item?: string;
  /** Of a list that the server requires. */
  isRequired?: true;
}

/** What is needed to go on after the answer. */
interface State {
  requestState: string | null;
  requests: string[];
  slots: Record<string, Slot>;
}

/** What continues a call, as the protocol wants it. */
export interface Continuation {
  inputResponses?: Record<string, JsonObject>;
  requestState?: string;
}

/** The pause for what a server asks with \`input_required\`. Throws TOOL_ERROR for what no form can ask. */
export function toPause({
  inputRequests,
  requestState,
}: {
  inputRequests?: unknown;
  requestState?: unknown;
}): CallPause {
  const state: State = {
    requestState: typeof requestState === 'string' ? requestState : null,
    requests: [],
    slots: {},
  };
  const messages: string[] = [];
  const fields: QuestionField[] = [];
  for (const [request, asked] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
    const params = isObject(asked) && asked.method === 'elicitation/create' ? asked.params : null;
    if (!isObject(params) || !isObject(params.requestedSchema) || (params.mode ?? 'form') !== 'form')
      throw unsupported('something that is not a form');
    state.requests.push(request);
    messages.push(typeof params.message === 'string' ? params.message : '');
    for (const [field, slot] of fieldsOf(request, params.requestedSchema, fields.length)) {
      fields.push(field);
      state.slots[field.key] = slot;
    }
  }
  const text = JSON.stringify(state);
  if (fields.length > MAX_FIELDS || Buffer.byteLength(JSON.stringify(fields)) > MAX_FIELDS_BYTES)
    throw unsupported('for more than a form can have');
  if (text.length > MAX_STATE_LENGTH) throw unsupported('with more state than can be kept');
  // People must know who asks: the text is the server's own.
  const message = shortened(`The server of the tool asks: ${messages.join('\n\n')}`, MAX_MESSAGE_BYTES);
  return new CallPause({ kind: 'FORM', message, fields, state: text });
}

/** What continues the call after the answer. */
export function toContinuation({ state, values }: CallAnswer): Continuation {
  const { requestState, requests, slots } = JSON.parse(state) as State;
  const responses = new Map<string, JsonObject>(requests.map((request) => [request, {}]));
  for (const [key, { request, name, values: titled, item, isRequired }] of Object.entries(slots)) {
    const content = responses.get(request);
    const value = values !== null && Object.hasOwn(values, key) ? values[key] : undefined;
    // A list in which nothing is chosen is empty, not absent.
    if (content !== undefined && isRequired) content[name] ??= [];
    if (content === undefined || value === undefined || value === null) continue;
    if (item === undefined) content[name] = typeof value === 'string' ? (titled?.[value] ?? value) : value;
    else if (value === true) content[name] = [...((content[name] as string[] | undefined) ?? []), item];
  }
  const answers = [...responses].map(([request, content]) => [
    request,
    values === null ? { action: 'decline' } : { action: 'accept', content },
  ]);
  return {
    ...(requests.length > 0 && { inputResponses: Object.fromEntries(answers) as Record<string, JsonObject> }),
    ...(requestState !== null && { requestState }),
  };
}

function fieldsOf(request: string, schema: JsonObject, taken: number): [QuestionField, Slot][] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const made: [QuestionField, Slot][] = [];
  const add = (
    name: string,
    field: Omit<QuestionField, 'key'>,
    slot: Omit<Slot, 'request' | 'name'> = {},
  ) => {
    const plain = /^(?!field_\d)[A-Za-z]\w{0,63}$/.test(name) && taken === 0 && slot.item === undefined;
    const key = plain ? name : `field_${taken + made.length + 1}`;
    made.push([
      { ...field, key },
      { request, name, ...slot },
    ]);
  };
  for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    if (made.length > MAX_FIELDS) break;
    if (!isObject(property)) continue;
    const label = labelOf(name, property);
    const needed = { label, ...(required.includes(name) && { required: true }) };
    const choices = choicesOf(property);
    const items = isObject(property.items) ? choicesOf(property.items) : null;
    if (property.type === 'array' && items !== null)
      for (const [title, item] of items)
        add(
          name,
          { label: shortenText(`${label}: ${title}`, MAX_LABEL), type: 'boolean' },
          { item, ...(needed.required && { isRequired: true }) },
        );
    else if (choices !== null)
      add(
        name,
        { ...needed, type: 'choice', choices: choices.map(([title]) => title) },
        { values: Object.fromEntries(choices) },
      );
    else if (property.type === 'boolean') add(name, { ...needed, type: 'boolean' });
    else if (property.type === 'number' || property.type === 'integer')
      add(name, { ...needed, type: 'number' });
    else add(name, { ...needed, type: property.format === 'date' ? 'date' : 'text' });
  }
  return made;
}

/** Titles with their values; null if the property is no choice. */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): [string, string][] | null {
  const options = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : null;
  const found = Array.isArray(values)
    ? values.map((value, i): [unknown, unknown] => [
        Array.isArray(enumNames) ? (enumNames[i] ?? value) : value,
        value,
      ])
    : options?.map((option): [unknown, unknown] =>
        isObject(option) ? [option.title ?? option.const, option.const] : [option, option],
      );
  if (found === undefined || found.length === 0 || found.length > MAX_CHOICES) return null;
  const named = new Map<string, string>();
  for (const [title, value] of found) {
    if (typeof value !== 'string' || value === '') return null;
    const text = typeof title === 'string' && title !== '' && !named.has(title) ? title : value;
    if (text.length > MAX_LABEL) return null;
    named.set(text, value);
  }
  return [...named];
}

function labelOf(name: string, { title, description }: JsonObject): string {
  const label = typeof title === 'string' && title.trim() !== '' ? title : name;
  return (
    shortenText(typeof description === 'string' ? `${label} (${description})` : label, MAX_LABEL) || 'Value'
  );
}

const unsupported = (what: string) =>
  new AppError('TOOL_ERROR', `The server of the tool asks a person ${what}, which is not supported`);
