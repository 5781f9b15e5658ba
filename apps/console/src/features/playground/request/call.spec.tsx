import { describe, expect, it } from '@jest/globals';
import type { Agent, ContentItem } from '@platform/contracts';
import {
  fitInputs,
  isOfConversation,
  listMissing,
  listPromptVariables,
  listSentVariables,
  NEW_OPTIONS,
  toCall,
  withKind,
  type RunOptions,
} from './call.ts';

const contents: ContentItem[] = [
  { type: 'text', text: 'Hi' },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
];
const call = (options: Partial<RunOptions>) => toCall('a1', 's1', contents, { ...NEW_OPTIONS, ...options });

describe('toCall', () => {
  it('sends a chat without settings that nobody chose', () => {
    expect(call({})).toEqual({ kind: 'chat', request: { session_id: 's1', contents } });
  });

  it('sends parameters by the names of each part of the API', () => {
    const parameters = { temperature: 0.5, max_tokens: 100 };
    const chat = call({ parameters, model: 'm', askOnly: true, noWebSearch: true });
    expect(chat.request).toEqual({
      session_id: 's1',
      contents,
      model: 'm',
      settings: { ...parameters, chat_mode: 'ask', disable_web_search: true },
    });
    expect(call({ kind: 'execute', parameters, model: 'm' }).request).toMatchObject({
      model: 'm',
      settings: { temperature: 0.5, maxTokens: 100 },
    });
  });

  it('sends variables, pictures, and switches of an execution as inputs', () => {
    const { request } = call({ kind: 'execute', context: true, variables: { customer: 'Ada', empty: '' } });
    expect(request).toEqual({
      inputs: {
        customer: 'Ada',
        query: 'Hi',
        images: ['data:image/png;base64,AA=='],
        memory: true,
        session_id: 's1',
        context: true,
      },
    });
  });

  it('sends a job as contents, or as inputs if it has what only inputs carry', () => {
    expect(call({ kind: 'job' }).request).toEqual({ agentId: 'a1', session_id: 's1', contents });
    const withVariables = call({ kind: 'job', variables: { customer: 'Ada' }, memory: false });
    expect(withVariables.request).toEqual({
      agentId: 'a1',
      inputs: { customer: 'Ada', query: 'Hi', images: ['data:image/png;base64,AA=='] },
    });
    expect(isOfConversation(withVariables)).toBe(false);
    expect(isOfConversation(call({ kind: 'execute' }))).toBe(true);
    expect(listSentVariables(withVariables)).toEqual([['customer', 'Ada']]);
  });
});

describe('the variables of a prompt', () => {
  const agent = {
    systemPrompt: 'For {{customer}} in {{language}}, {{mood}}',
    variables: [
      { name: 'language', default: 'English' },
      { name: 'mood', required: false },
    ],
  } as Agent;

  it('are those of the prompt, with what is declared', () => {
    expect(listPromptVariables(agent)?.map(({ name }) => name)).toEqual(['customer', 'language', 'mood']);
    expect(listPromptVariables({ id: 'a1' } as Agent)).toBeNull();
  });

  it('are missing if they have neither a value nor a default', () => {
    const variables = listPromptVariables(agent) ?? [];
    expect(listMissing(variables, {})).toEqual(['customer']);
    expect(listMissing(variables, { customer: 'Ada' })).toEqual([]);
    const builtIns = [{ name: 'constructor' }, { name: '__proto__' }];
    expect(listMissing(builtIns, {})).toEqual(['constructor', '__proto__']);
  });
});

it('keeps the temperature in the range of executions, which take no files', () => {
  const hot = { ...NEW_OPTIONS, parameters: { temperature: 1.6, top_p: 0.5 } };
  expect(withKind(hot, 'execute').parameters).toEqual({ temperature: 1, top_p: 0.5 });
  expect(withKind(hot, 'chat').parameters).toEqual({ temperature: 1.6, top_p: 0.5 });
  expect(fitInputs(contents)).toBe(true);
  expect(fitInputs([{ type: 'file', file_info: { url: 'data:x' } }])).toBe(false);
});
