import type {
  ModelMessage,
  ModelPart,
  ModelRequest,
  ModelSettings,
  ModelTool,
  ModelToolCall,
} from '../models/model-provider.ts';
import { isObject, type JsonObject } from '../infra/json.ts';
import { invalidField, type RelayRequest } from './relay-request.ts';

/** Reads OpenAI's chat completion for a provider of ours; 400 naming what it cannot read. */
export function toModelRequest({ body, maxOutputTokens }: RelayRequest, model: string): ModelRequest {
  const messages = body.messages as JsonObject[];
  const tools = body.tools ?? [];
  if (!Array.isArray(tools)) throw invalidField('tools', 'tools must be an array');
  const settings: ModelSettings = maxOutputTokens === null ? {} : { maxTokens: maxOutputTokens };
  return {
    model,
    messages: messages.map((message, i) => readMessage(message, `messages[${i}]`)),
    tools: tools.map((tool, i) => readTool(tool, `tools[${i}]`)),
    settings,
  };
}

function readMessage(message: JsonObject, at: string): ModelMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: readText(message.content, `${at}.content`) };
    case 'user':
      return { role: 'user', parts: readParts(message.content, `${at}.content`) };
    case 'assistant':
      return {
        role: 'assistant',
        text: message.content == null ? '' : readText(message.content, `${at}.content`),
        toolCalls: readCalls(message.tool_calls ?? [], `${at}.tool_calls`),
      };
    case 'tool':
      return {
        role: 'tool',
        callId: textAt(message.tool_call_id, `${at}.tool_call_id`),
        text: readText(message.content, `${at}.content`),
      };
    default:
      throw invalidField(`${at}.role`, `${at}.role must be one of system, developer, user, assistant, tool`);
  }
}

function readText(content: unknown, at: string): string {
  if (typeof content === 'string') return content;
  return readParts(content, at)
    .map((part, i) => {
      if (part.type !== 'text') throw invalidField(`${at}[${i}]`, `${at}[${i}] must be a text`);
      return part.text;
    })
    .join('\n');
}

function readParts(content: unknown, at: string): ModelPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalidField(at, `${at} must be a text or an array of parts`);
  return content.map((part, i) => readPart(part, `${at}[${i}]`));
}

function readPart(part: unknown, at: string): ModelPart {
  const { type, text, refusal, image_url, input_audio, file } = objectAt(part, at);
  switch (type) {
    case 'text':
      return { type: 'text', text: textAt(text, `${at}.text`) };
    case 'refusal':
      return { type: 'text', text: textAt(refusal, `${at}.refusal`) };
    case 'image_url': {
      const { url, detail } = objectAt(image_url, `${at}.image_url`);
      return {
        type: 'image',
        url: textAt(url, `${at}.image_url.url`),
        detail: detail === 'low' || detail === 'high' ? detail : 'auto',
      };
    }
    case 'input_audio': {
      const { data, format } = objectAt(input_audio, `${at}.input_audio`);
      return {
        type: 'audio',
        data: textAt(data, `${at}.input_audio.data`),
        format: format === 'mp3' ? 'mp3' : 'wav',
      };
    }
    case 'file': {
      const { filename, file_data } = objectAt(file, `${at}.file`);
      const [, mime = 'application/octet-stream', data = ''] =
        /^data:([^;,]*);base64,(.*)$/s.exec(textAt(file_data, `${at}.file.file_data`)) ?? [];
      return { type: 'file', filename: typeof filename === 'string' ? filename : 'file', mime, data };
    }
    default:
      throw invalidField(`${at}.type`, `${at}.type must be one of text, image_url, input_audio, file`);
  }
}

function readCalls(calls: unknown, at: string): ModelToolCall[] {
  if (!Array.isArray(calls)) throw invalidField(at, `${at} must be an array`);
  return calls.map((call, i) => {
    const { id, function: called } = objectAt(call, `${at}[${i}]`);
    const { name, arguments: json } = objectAt(called, `${at}[${i}].function`);
    return {
      id: textAt(id, `${at}[${i}].id`),
      name: textAt(name, `${at}[${i}].function.name`),
      arguments: textAt(json, `${at}[${i}].function.arguments`),
    };
  });
}

function readTool(tool: unknown, at: string): ModelTool {
  const { name, description, parameters } = objectAt(objectAt(tool, at).function, `${at}.function`);
  return {
    name: textAt(name, `${at}.function.name`),
    description: typeof description === 'string' ? description : '',
    parameters: isObject(parameters) ? parameters : {},
  };
}

function objectAt(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw invalidField(at, `${at} must be an object`);
  return value;
}

function textAt(value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalidField(at, `${at} must be a text`);
  return value;
}
