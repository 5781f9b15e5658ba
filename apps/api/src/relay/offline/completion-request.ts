import type {
  AnswerFormat,
  ModelMessage,
  ModelPart,
  ModelRequest,
  ModelSettings,
  ModelTool,
  ModelToolCall,
} from '../../models/port/model-provider.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { invalidField, type RelayRequest } from '../requests/relay-request.ts';
import { contentParser, parseFileData } from './content-parts.ts';

/** Building an instance reads the schema many times. */
const MAX_SCHEMA_LENGTH = 64 * 1024;

/** Parses OpenAI's chat completion request for a built-in provider. Throws 400 that names an invalid field. */
export function parseModelRequest({ body, maxOutputTokens }: RelayRequest, model: string): ModelRequest {
  refuse(body, model);
  const messages = body.messages as JsonObject[];
  const tools = body.tools ?? [];
  if (!Array.isArray(tools)) throw invalidField('tools', 'tools must be an array');
  const settings: ModelSettings = maxOutputTokens === null ? {} : { maxTokens: maxOutputTokens };
  return {
    model,
    messages: messages.map((message, i) => parseMessage(message, `messages[${i}]`)),
    tools: tools.map((tool, i) => parseTool(tool, `tools[${i}]`)),
    settings,
    ...parseAnswerFormat(body.response_format ?? { type: 'text' }, 'response_format'),
  };
}

/** Refuses what a built-in model does not do, so that nobody waits for a part of the response that never comes. */
function refuse(body: JsonObject, model: string): void {
  const { n, logprobs, top_logprobs: top, modalities, audio, functions, web_search_options: search } = body;
  const asked: Record<string, boolean> = {
    n: (n ?? 1) !== 1,
    logprobs: (logprobs ?? false) !== false,
    top_logprobs: (top ?? 0) !== 0,
    modalities: Array.isArray(modalities) && modalities.some((modality) => modality !== 'text'),
    audio: (audio ?? null) !== null,
    functions: (functions ?? null) !== null,
    web_search_options: (search ?? null) !== null,
  };
  for (const [name, isAsked] of Object.entries(asked))
    if (isAsked) throw invalidField(name, `${model} does not support this value of ${name}`);
}

/** `namedAt` is where the schema is, with its name. */
export function parseAnswerFormat(
  format: unknown,
  at: string,
  namedAt = `${at}.json_schema`,
): { answerFormat?: AnswerFormat } {
  const { type, json_schema: named } = requireObject(format, at);
  switch (type) {
    case 'text':
      return {};
    case 'json_object':
      return { answerFormat: { type: 'json-object' } };
    case 'json_schema': {
      const { schema } = requireObject(named, namedAt);
      const read = requireObject(schema ?? {}, `${namedAt}.schema`);
      if (JSON.stringify(read).length > MAX_SCHEMA_LENGTH) {
        const param = `${namedAt}.schema`;
        throw invalidField(param, `${param} must be at most ${MAX_SCHEMA_LENGTH} characters long`);
      }
      return { answerFormat: { type: 'json-schema', schema: read } };
    }
    default:
      throw invalidField(`${at}.type`, `${at}.type must be one of text, json_object, json_schema`);
  }
}

function parseMessage(message: JsonObject, at: string): ModelMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: parseText(message.content, `${at}.content`) };
    case 'user':
      return { role: 'user', parts: parseParts(message.content, `${at}.content`) };
    case 'assistant':
      return {
        role: 'assistant',
        text: message.content == null ? '' : parseText(message.content, `${at}.content`),
        toolCalls: parseToolCalls(message.tool_calls ?? [], `${at}.tool_calls`),
      };
    case 'tool':
      return {
        role: 'tool',
        callId: requireString(message.tool_call_id, `${at}.tool_call_id`),
        text: parseText(message.content, `${at}.content`),
      };
    default:
      throw invalidField(`${at}.role`, `${at}.role must be one of system, developer, user, assistant, tool`);
  }
}

const { parseParts, parseText } = contentParser(parsePart, 'a string');

function parsePart(part: unknown, at: string): ModelPart {
  const { type, text, refusal, image_url, input_audio, file } = requireObject(part, at);
  switch (type) {
    case 'text':
      return { type: 'text', text: requireString(text, `${at}.text`) };
    case 'refusal':
      return { type: 'text', text: requireString(refusal, `${at}.refusal`) };
    case 'image_url': {
      const { url, detail } = requireObject(image_url, `${at}.image_url`);
      return {
        type: 'image',
        url: requireString(url, `${at}.image_url.url`),
        detail: detail === 'low' || detail === 'high' ? detail : 'auto',
      };
    }
    case 'input_audio': {
      const { data, format } = requireObject(input_audio, `${at}.input_audio`);
      return {
        type: 'audio',
        data: requireString(data, `${at}.input_audio.data`),
        format: format === 'mp3' ? 'mp3' : 'wav',
      };
    }
    case 'file': {
      const { filename, file_data } = requireObject(file, `${at}.file`);
      return parseFileData(filename, requireString(file_data, `${at}.file.file_data`));
    }
    default:
      throw invalidField(`${at}.type`, `${at}.type must be one of text, image_url, input_audio, file`);
  }
}

function parseToolCalls(calls: unknown, at: string): ModelToolCall[] {
  if (!Array.isArray(calls)) throw invalidField(at, `${at} must be an array`);
  return calls.map((call, i) => {
    const { id, function: called } = requireObject(call, `${at}[${i}]`);
    const { name, arguments: json } = requireObject(called, `${at}[${i}].function`);
    return {
      id: requireString(id, `${at}[${i}].id`),
      name: requireString(name, `${at}[${i}].function.name`),
      arguments: requireString(json, `${at}[${i}].function.arguments`),
    };
  });
}

function parseTool(tool: unknown, at: string): ModelTool {
  const { name, description, parameters } = requireObject(requireObject(tool, at).function, `${at}.function`);
  return {
    name: requireString(name, `${at}.function.name`),
    description: typeof description === 'string' ? description : '',
    parameters: isObject(parameters) ? parameters : {},
  };
}

export function requireObject(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw invalidField(at, `${at} must be an object`);
  return value;
}

export function requireString(value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalidField(at, `${at} must be a string`);
  return value;
}
