import { MAX_OPTIONS } from '../questions/questions.ts';
import type { TurnTool } from './turn-tool.ts';

/** The name under which a model asks the user. */
export const ASK_USER = 'ask_user';

/** Lets the model ask the user. Never run: the turn stops at the call and waits for the answer. */
export const askUserTool: TurnTool = {
  name: ASK_USER,
  toolId: ASK_USER,
  tool: ASK_USER,
  method: 'ask',
  kind: 'builtin',
  acts: false,
  description:
    'Asks the user to choose, and waits for the answer. Use it only where the answer cannot be found otherwise.',
  parameters: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'The question, as the user reads it' },
      options: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_OPTIONS,
        items: {
          type: 'object',
          properties: { label: { type: 'string' }, description: { type: 'string' } },
          required: ['label'],
        },
      },
      multiple: { type: 'boolean', description: 'Whether several options may be chosen' },
      allowOther: { type: 'boolean', description: 'Whether the user may answer in own words' },
    },
    required: ['question', 'options'],
  },
  run: () => Promise.reject(new Error('The turn itself asks the question')),
};
