import { describe, expect, it } from '@jest/globals';
import type { Sql } from '../../infra/database/rows.ts';
import type { StepContent } from '../records/steps.ts';
import { buildMessages } from './messages.ts';

const NO_SQL: Sql = { query: () => Promise.reject(new Error('Nothing is to be read')) };

const STEPS: StepContent[] = [
  { kind: 'user', content: { parts: [{ type: 'text', text: 'Is it raining?' }] } },
  {
    kind: 'model',
    content: { text: 'I look.', toolCalls: [{ id: 'a', name: 'get_weather', arguments: '{}' }] },
  },
  { kind: 'tool-result', content: { callId: 'a', text: '{"rain":true}' } },
  { kind: 'model', content: { text: 'Yes.', toolCalls: [] } },
  { kind: 'user', content: { parts: [{ type: 'text', text: 'Thanks' }] } },
];

describe('the messages for a model', () => {
  const rolesFor = async (tools: boolean) => {
    const messages = await buildMessages(NO_SQL, '', STEPS, {
      images: false,
      audio: false,
      files: false,
      tools,
    });
    return messages.map((message) => [message.role, 'text' in message ? message.text : '']);
  };

  it('contain the calls of tools and their results', async () => {
    expect(await rolesFor(true)).toEqual([
      ['user', ''],
      ['assistant', 'I look.'],
      ['tool', '{"rain":true}'],
      ['assistant', 'Yes.'],
      ['user', ''],
    ]);
  });

  it('only mention calls to a model that knows no tools, which a server would refuse', async () => {
    expect(await rolesFor(false)).toEqual([
      ['user', ''],
      ['assistant', 'I look.\n\n[the tool get_weather was called]\n\nYes.'],
      ['user', ''],
    ]);
  });
});
