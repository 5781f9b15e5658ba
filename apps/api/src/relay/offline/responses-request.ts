import type { JsonObject } from '../../infra/runtime/json.ts';
import { isObject } from '../../infra/runtime/json.ts';
import type { ModelMessage, ModelPart, ModelRequest, ModelTool } from '../../models/port/model-provider.ts';
import { invalidField, type RelayRequest } from '../requests/relay-request.ts';
import { contentParser, parseFileData } from './content-parts.ts';
import { parseAnswerFormat, requireObject, requireString } from './completion-request.ts';

/** What a built-in model does not do. */
const REFUSED = ['previous_response_id', 'conversation', 'prompt', 'top_logprobs', 'max_tool_calls'];

/** Parses a request of the Responses API for a built-in provider. Throws 400 that names an invalid field. */
export function parseResponsesModelRequest(
  { body, maxOutputTokens }: RelayRequest,
  model: string,
): ModelRequest {
  for (const name of REFUSED) {
    const value = body[name];
    if (value !== undefined && value !== null && value !== 0)
      throw invalidField(name, `${model} does not support ${name}`);
  }
  const { instructions, input, tools = [], text } = body;
  if (!Array.isArray(tools)) throw invalidField('tools', 'tools must be an array');
  const system: ModelMessage[] =
    instructions === undefined || instructions === null
      ? []
      : [{ role: 'system', text: requireString(instructions, 'instructions') }];
  return {
    model,
    messages: [...system, ...parseInput(input)],
    tools: tools.map((tool, i) => parseTool(tool, `tools[${i}]`)),
    settings: maxOutputTokens === null ? {} : { maxTokens: maxOutputTokens },
    ...parseTextFormat(text ?? {}),
  };
}

function parseTextFormat(text: unknown): Pick<ModelRequest, 'answerFormat'> {
  const at = 'text.format';
  const format = requireObject(requireObject(text, 'text').format ?? { type: 'text' }, at);
  // The schema is not nested, as it is in a completion.
  return parseAnswerFormat({ type: format.type, json_schema: format }, at, at);
}

function parseInput(input: unknown): ModelMessage[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [{ type: 'text', text: input }] }];
  if (!Array.isArray(input) || input.length === 0) throw invalidField('input', 'input must not be empty');
  const messages: ModelMessage[] = [];
  for (const [i, item] of input.entries()) addItem(messages, item, `input[${i}]`);
  return messages;
}

function addItem(messages: ModelMessage[], value: unknown, at: string): void {
  const item = requireObject(value, at);
  switch (item.type ?? 'message') {
    case 'message':
      messages.push(parseMessage(item, at));
      return;
    case 'function_call': {
      const call = {
        id: requireString(item.call_id, `${at}.call_id`),
        name: requireString(item.name, `${at}.name`),
        arguments: requireString(item.arguments, `${at}.arguments`),
      };
      // Calls that were made together are one message.
      const last = messages.at(-1);
      if (last?.role === 'assistant') last.toolCalls.push(call);
      else messages.push({ role: 'assistant', text: '', toolCalls: [call] });
      return;
    }
    case 'function_call_output':
      messages.push({
        role: 'tool',
        callId: requireString(item.call_id, `${at}.call_id`),
        text: parseText(item.output, `${at}.output`),
      });
      return;
    case 'reasoning':
      return;
    default:
      throw invalidField(
        `${at}.type`,
        `${at}.type must be one of message, function_call, function_call_output, reasoning`,
      );
  }
}

function parseMessage({ role, content }: JsonObject, at: string): ModelMessage {
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: parseText(content, `${at}.content`) };
    case 'user':
      return { role: 'user', parts: parseParts(content, `${at}.content`) };
    case 'assistant':
      return { role: 'assistant', text: parseText(content, `${at}.content`), toolCalls: [] };
    default:
      throw invalidField(`${at}.role`, `${at}.role must be one of system, developer, user, assistant`);
  }
}

const { parseParts, parseText } = contentParser(parsePart, 'text');

function parsePart(value: unknown, at: string): ModelPart {
  const part = requireObject(value, at);
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: requireString(part.text, `${at}.text`) };
    case 'refusal':
      return { type: 'text', text: requireString(part.refusal, `${at}.refusal`) };
    case 'input_image': {
      const { detail } = part;
      return {
        type: 'image',
        url: requireString(part.image_url, `${at}.image_url`),
        detail: detail === 'low' || detail === 'high' ? detail : 'auto',
      };
    }
    case 'input_file':
      return parseFileData(part.filename, requireString(part.file_data, `${at}.file_data`));
    default:
      throw invalidField(
        `${at}.type`,
        `${at}.type must be one of input_text, output_text, refusal, input_image, input_file`,
      );
  }
}

function parseTool(value: unknown, at: string): ModelTool {
  const { type, name, description, parameters } = requireObject(value, at);
  if (type !== 'function') throw invalidField(`${at}.type`, `${at}.type must be function`);
  return {
    name: requireString(name, `${at}.name`),
    description: typeof description === 'string' ? description : '',
    parameters: isObject(parameters) ? parameters : {},
  };
}
