export const MODEL_PROVIDERS = ['openai-compatible', 'offline'] as const;
export type ModelProviderKind = (typeof MODEL_PROVIDERS)[number];

/** What a model does: chats, turns texts into vectors, or says how well texts answer a question. */
export const MODEL_KINDS = ['chat', 'embedding', 'rerank'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** The built-in model: deterministic, free, and independent of the network. */
export const OFFLINE_MODEL = 'platform/offline';

/** Lines in a message that the built-in model follows, in their order, each with an example to try. */
export const OFFLINE_COMMANDS = [
  { name: 'ask', example: '/ask Which color? | red | blue | other', does: 'asks you to choose' },
  {
    name: 'ask-many',
    example: '/ask-many Which days? | Mon | Tue | Wed',
    does: 'asks you to choose several',
  },
  { name: 'call', example: '/call current_time.now {}', does: 'calls a method of a tool' },
  { name: 'local', example: '/local TOOL {}', does: 'calls a tool of your application' },
  { name: 'think', example: '/think 2000', does: 'waits, in milliseconds' },
  { name: 'long', example: '/long 200', does: 'writes so many words' },
  { name: 'fail', example: '/fail', does: 'fails' },
] as const;
