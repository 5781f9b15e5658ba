import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';

type Schema = Extract<ApiBodyOptions, { schema: unknown }>['schema'] & object;

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const anything: Schema = {};
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  // OpenAI's API grows, and model servers have parameters of their own.
  additionalProperties: true,
});
const list = (items: Schema): Schema => ({ type: 'array', items });

const MODEL: Schema = { type: 'string', description: 'The name of a model in the catalog of the space.' };
const STREAM: Schema = {
  type: 'boolean',
  default: false,
  description: 'Whether to respond with server-sent events.',
};

const FUNCTION_TOOL = object({
  type: { type: 'string', enum: ['function'] },
  function: object({ name: text, description: text, parameters: object({}) }, ['name']),
});
const TOOL_CALL = object(
  {
    id: text,
    type: { type: 'string', enum: ['function'] },
    function: object({ name: text, arguments: text }),
  },
  ['id', 'type', 'function'],
);
const MESSAGE = object(
  {
    role: { type: 'string', enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
    content: { oneOf: [{ ...text, nullable: true }, list(object({ type: text }, ['type']))] },
    tool_calls: list(TOOL_CALL),
    tool_call_id: text,
  },
  ['role'],
);

export const COMPLETION_REQUEST: Schema = {
  ...object(
    {
      model: MODEL,
      messages: { ...list(MESSAGE), minItems: 1 },
      stream: STREAM,
      stream_options: object({ include_usage: { type: 'boolean' } }),
      tools: list(FUNCTION_TOOL),
      tool_choice: anything,
      temperature: { type: 'number' },
      top_p: { type: 'number' },
      max_tokens: count,
      max_completion_tokens: count,
      response_format: object({ type: { type: 'string', enum: ['text', 'json_object', 'json_schema'] } }, [
        'type',
      ]),
    },
    ['model', 'messages'],
  ),
  description: "OpenAI's chat completion request. All other fields are handed on to the server of the model.",
};

const COMPLETION_USAGE = object(
  {
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: object({ cached_tokens: count }),
    completion_tokens_details: object({ reasoning_tokens: count }),
  },
  ['prompt_tokens', 'completion_tokens', 'total_tokens'],
);

const COMPLETION = object(
  {
    id: text,
    object: { type: 'string', enum: ['chat.completion'] },
    created: count,
    model: text,
    choices: list(object({ index: count, message: MESSAGE, finish_reason: { ...text, nullable: true } })),
    usage: COMPLETION_USAGE,
  },
  ['id', 'object', 'created', 'model', 'choices'],
);

export const RESPONSES_REQUEST: Schema = {
  ...object(
    {
      model: MODEL,
      input: { oneOf: [text, list(object({}))] },
      instructions: { ...text, nullable: true },
      stream: STREAM,
      tools: list(object({ type: text }, ['type'])),
      max_output_tokens: { ...count, nullable: true },
      previous_response_id: { ...text, nullable: true },
      background: {
        type: 'boolean',
        enum: [false],
        description: 'Not supported: its usage would not be known.',
      },
    },
    ['model'],
  ),
  description:
    'A request of OpenAI’s Responses API. `conversation` is not supported: use `previous_response_id`. All other fields are handed on to the server of the model.',
};

const MODEL_RESPONSE = object(
  {
    id: text,
    object: { type: 'string', enum: ['response'] },
    status: text,
    model: text,
    output: list(object({ type: text }, ['type'])),
    usage: {
      ...object(
        {
          input_tokens: count,
          output_tokens: count,
          total_tokens: count,
          input_tokens_details: object({ cached_tokens: count }),
          output_tokens_details: object({ reasoning_tokens: count }),
        },
        ['input_tokens', 'output_tokens', 'total_tokens'],
      ),
      nullable: true,
    },
  },
  ['id', 'object', 'model', 'output'],
);

export const EMBEDDING_REQUEST: Schema = object(
  {
    model: MODEL,
    input: { oneOf: [text, list({ oneOf: [text, { type: 'integer' }, list({ type: 'integer' })] })] },
    encoding_format: { type: 'string', enum: ['float', 'base64'] },
    dimensions: count,
  },
  ['model', 'input'],
);

const EMBEDDINGS = object(
  {
    object: { type: 'string', enum: ['list'] },
    model: text,
    data: list(
      object({
        object: { type: 'string', enum: ['embedding'] },
        index: count,
        embedding: { oneOf: [list({ type: 'number' }), text] },
      }),
    ),
    usage: object({ prompt_tokens: count, total_tokens: count }),
  },
  ['object', 'data', 'model'],
);

export const TRANSCRIPTION_REQUEST: Schema = {
  ...object(
    {
      model: MODEL,
      file: { type: 'string', format: 'binary', description: 'The recording, at most 25 MB with the rest.' },
      language: text,
      prompt: text,
      response_format: text,
      stream: STREAM,
    },
    ['model', 'file'],
  ),
  description:
    "OpenAI's request for a transcription. All other fields are handed on to the server of the model.",
};

export const SPEECH_REQUEST: Schema = {
  ...object({ model: MODEL, input: text, voice: anything, response_format: text, stream_format: text }, [
    'model',
    'input',
    'voice',
  ]),
  description: "OpenAI's request for speech. All other fields are handed on to the server of the model.",
};

const RELAY_MODEL = object(
  { id: text, object: { type: 'string', enum: ['model'] }, created: count, owned_by: text },
  ['id', 'object', 'created', 'owned_by'],
);

const events = (description: string) => ({ 'text/event-stream': { schema: { ...text, description } } });
const json = (schema: Schema) => ({ 'application/json': { schema } });

export const COMPLETION_RESPONSE: ApiResponseOptions = {
  description: 'The completion, or the events of a stream.',
  content: {
    ...json(COMPLETION),
    ...events('`data:` lines with `chat.completion.chunk` objects, and at the end `[DONE]`.'),
  },
};
export const RESPONSES_RESPONSE: ApiResponseOptions = {
  description: 'The response, or the events of a stream.',
  content: {
    ...json(MODEL_RESPONSE),
    ...events('Events of the Responses API, the last of them `response.completed`.'),
  },
};
export const EMBEDDING_RESPONSE: ApiResponseOptions = {
  description: 'The embeddings.',
  content: json(EMBEDDINGS),
};
export const DELETED_RESPONSE: ApiResponseOptions = {
  description: 'The response is deleted.',
  content: json(object({ id: text, object: text, deleted: { type: 'boolean' } }, ['id'])),
};
export const INPUT_ITEMS_RESPONSE: ApiResponseOptions = {
  description: 'The input of the response.',
  content: json(
    object(
      { object: { type: 'string', enum: ['list'] }, data: list(object({})), has_more: { type: 'boolean' } },
      ['data'],
    ),
  ),
};
export const TRANSCRIPTION_RESPONSE: ApiResponseOptions = {
  description: 'The transcription: JSON, text, or the events of a stream.',
  content: {
    ...json(object({ text }, ['text'])),
    'text/plain': { schema: text },
    ...events('The last of them is `transcript.text.done`.'),
  },
};
export const SPEECH_RESPONSE: ApiResponseOptions = {
  description: 'The recording, or the events of a stream.',
  content: {
    'audio/mpeg': { schema: { type: 'string', format: 'binary' } },
    ...events('The last of them is `speech.audio.done`.'),
  },
};
export const MODEL_LIST_RESPONSE: ApiResponseOptions = {
  description: 'The models of the space.',
  content: json(
    object({ object: { type: 'string', enum: ['list'] }, data: list(RELAY_MODEL) }, ['object', 'data']),
  ),
};
export const RELAY_MODEL_RESPONSE: ApiResponseOptions = {
  description: 'The model.',
  content: json(RELAY_MODEL),
};
