import { describe, expect, it } from '@jest/globals';
import { changeDefinition, newDefinition, promptProblems } from './agent-definition.ts';

const request = { name: 'Ada', model: 'm', systemPrompt: 'Be kind.' };

describe('newDefinition', () => {
  it('fills in the defaults', () => {
    expect(newDefinition(request)).toEqual({
      ...request,
      description: '',
      accessScope: 'SPACE',
      allowedUserIds: [],
      variables: [],
      tools: [],
      localTools: [],
      knowledge: { enabled: false, topK: 5 },
      settings: {},
      askUser: true,
    });
  });

  it('stores the list of users as sent, without duplicates', () => {
    expect(newDefinition({ ...request, allowedUserIds: ['b', 'a', 'b', 'nobody'] }).allowedUserIds).toEqual([
      'b',
      'a',
      'nobody',
    ]);
  });

  it('reads null as absent, also inside', () => {
    const agent = newDefinition({
      ...request,
      description: null,
      tools: [{ toolId: 't', methods: null }],
      variables: [{ name: 'a', default: null as unknown as string }],
      settings: { temperature: null, top_p: 0 },
    });
    expect(agent).toMatchObject({ description: '', tools: [{ toolId: 't', methods: null }] });
    expect(agent.variables).toEqual([{ name: 'a' }]);
    expect(agent.settings).toEqual({ top_p: 0 });
  });
});

describe('changeDefinition', () => {
  it('replaces a given field completely and keeps the others', () => {
    const before = newDefinition({
      ...request,
      settings: { temperature: 1, top_p: 0.5 },
      knowledge: { enabled: true, topK: 9 },
    });
    expect(changeDefinition(before, { settings: { temperature: 2 }, askUser: false })).toEqual({
      ...before,
      settings: { temperature: 2 },
      askUser: false,
    });
    expect(changeDefinition(before, { knowledge: { enabled: false } }).knowledge).toEqual({
      enabled: false,
      topK: 5,
    });
    expect(changeDefinition(before, { allowedUserIds: [], description: '' })).toEqual(before);
  });
});

describe('promptProblems', () => {
  it('names the variables that take a reserved name', () => {
    expect(promptProblems({ systemPrompt: '{{city}} {{query}} {{images}}', variables: [] })).toEqual([
      'systemPrompt: the variable {{query}} must not be the reserved name query',
      'systemPrompt: the variable {{images}} must not be the reserved name images',
    ]);
  });

  it('allows 1,000 placeholders', () => {
    const prompt = (times: number) => ({ systemPrompt: '{{x}}'.repeat(times), variables: [] });
    expect(promptProblems(prompt(1000))).toEqual([]);
    const expected = ['systemPrompt must have at most 1000 {{variables}}, repetitions included'];
    expect(promptProblems(prompt(1001))).toEqual(expected);
    expect(promptProblems(prompt(150_000))).toEqual(expected);
  });

  it('counts the length with the defaults filled in', () => {
    const variables = [{ name: 'x', default: 'y'.repeat(1000) }];
    expect(promptProblems({ systemPrompt: '{{x}}'.repeat(1000), variables })).toEqual([]);
    expect(() => promptProblems({ systemPrompt: '{{x}}'.repeat(999) + 'z'.repeat(1001), variables })).toThrow(
      'systemPrompt must have at most 1000000 characters with its variables filled in, not 1000001',
    );
  });
});
