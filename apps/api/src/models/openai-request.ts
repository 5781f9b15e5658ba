import type OpenAI from 'openai';
import type { ModelMessage, ModelPart, ModelRequest } from './model-provider.ts';

export type Body = OpenAI.Chat.ChatCompletionCreateParamsStreaming;

/** What a server turned out not to understand. */
export interface ServerLimits {
  /** It refuses `stream_options`. */
  noStreamOptions: boolean;
  /** It wants `max_completion_tokens` for `max_tokens`. */
  newMaxTokens: boolean;
}

/** Writes a request as OpenAI's chat completions want it. */
export function toOpenAi({ model, messages, tools, settings }: ModelRequest, limits: ServerLimits): Body {
  const body: Body = { model, messages: messages.map(toMessage), stream: true };
  if (!limits.noStreamOptions) body.stream_options = { include_usage: true };
  if (tools.length > 0) body.tools = tools.map((tool) => ({ type: 'function', function: { ...tool } }));
  if (settings.maxTokens !== undefined) {
    Object.assign(body, {
      [limits.newMaxTokens ? 'max_completion_tokens' : 'max_tokens']: settings.maxTokens,
    });
  }
  if (settings.temperature !== undefined) body.temperature = settings.temperature;
  if (settings.topP !== undefined) body.top_p = settings.topP;
  if (settings.frequencyPenalty !== undefined) body.frequency_penalty = settings.frequencyPenalty;
  if (settings.presencePenalty !== undefined) body.presence_penalty = settings.presencePenalty;
  return body;
}

/** Whether a refusal of what was sent shows something that can be left out; the limits then say it. */
export function learn(limits: ServerLimits, sent: Body, refusal: string): boolean {
  if (sent.stream_options && /stream_options|include_usage/.test(refusal)) limits.noStreamOptions = true;
  else if ('max_tokens' in sent && refusal.includes('max_completion_tokens')) limits.newMaxTokens = true;
  else return false;
  return true;
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
              function: { name, arguments: json },
            })),
          };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
  }
}

/** Text alone goes as a string: smaller servers know no parts. */
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
