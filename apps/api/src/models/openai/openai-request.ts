import type OpenAI from 'openai';
import type { AnswerFormat, ModelMessage, ModelPart, ModelRequest } from '../port/model-provider.ts';
import { isObject, parseJson } from '../../infra/runtime/json.ts';
import type { ServerQuirk } from './server-quirks.ts';

export type Body = OpenAI.Chat.ChatCompletionCreateParamsStreaming;

/** Formats a request for OpenAI's chat completions, adapted to the quirks of the server. */
export function toOpenAi(
  { model, messages, tools, settings, answerFormat }: ModelRequest,
  quirks: ReadonlySet<ServerQuirk>,
): Body {
  const body: Body = { model, messages: messages.map(toMessage), stream: true };
  if (!quirks.has('no-stream-options')) body.stream_options = { include_usage: true };
  if (tools.length > 0) body.tools = tools.map((tool) => ({ type: 'function', function: { ...tool } }));
  if (settings.maxTokens !== undefined) {
    Object.assign(body, {
      [quirks.has('max-completion-tokens') ? 'max_completion_tokens' : 'max_tokens']: settings.maxTokens,
    });
  }
  if (settings.temperature !== undefined) body.temperature = settings.temperature;
  if (settings.topP !== undefined) body.top_p = settings.topP;
  if (settings.frequencyPenalty !== undefined) body.frequency_penalty = settings.frequencyPenalty;
  if (settings.presencePenalty !== undefined) body.presence_penalty = settings.presencePenalty;
  if (answerFormat !== undefined) body.response_format = toResponseFormat(answerFormat);
  return body;
}

function toResponseFormat(format: AnswerFormat): Body['response_format'] {
  switch (format.type) {
    case 'json-object':
      return { type: 'json_object' };
    case 'json-schema':
      return { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema } };
  }
}

function toMessage(message: ModelMessage): OpenAI.Chat.ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: toContent(message.parts) };
    case 'assistant':
      return message.toolCalls.length === 0
        ? { role: 'assistant', content: message.text }
        : {
            role: 'assistant',
            content: message.text === '' ? null : message.text,
            tool_calls: message.toolCalls.map(({ id, name, arguments: json }) => ({
              id,
              type: 'function',
              // Servers parse all calls of a conversation, and refuse it for one that a model wrote wrong.
              function: { name, arguments: isObject(parseJson(json)) ? json : '{}' },
            })),
          };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
  }
}

/** Text without media is sent as a string, because smaller servers do not support parts. */
function toContent(parts: ModelPart[]): string | OpenAI.Chat.ChatCompletionContentPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts.map(toPart);
}

function toPart(part: ModelPart): OpenAI.Chat.ChatCompletionContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: part.url, detail: part.detail } };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'file':
      return {
        type: 'file',
        file: { filename: part.filename, file_data: `data:${part.mime};base64,${part.data}` },
      };
  }
}
