import { describe, expect, it } from '@jest/globals';
import type { Agent } from '@platform/contracts';
import { createAgentForm, toAgentForm, toAgentRequest } from './agent-request.ts';
import { isSchemaText } from './agent-values.ts';

describe('toAgentRequest', () => {
  const others = [{ toolId: 'shop', methods: ['find'] }];
  const clock = { toolId: 'current_time', methods: ['now'] };

  it('adds and removes the clock and keeps its methods', () => {
    const off = { ...createAgentForm('m'), tools: others };
    const on = { ...off, currentTime: true };
    expect(toAgentRequest(on).tools).toEqual([...others, { toolId: 'current_time', methods: null }]);
    expect(toAgentRequest(on, [clock, ...others]).tools).toEqual([...others, clock]);
    expect(toAgentRequest(off, [clock, ...others]).tools).toEqual(others);
  });

  it('edits the other tools without their status', () => {
    const tools = [clock, ...others].map((tool) => ({ ...tool, status: 'ready' as const }));
    const agent = { ...toAgentRequest(createAgentForm('m')), localTools: [], tools } as unknown as Agent;
    expect(toAgentForm(agent)).toMatchObject({ currentTime: true, tools: others });
  });

  it('keeps the settings of the knowledge', () => {
    const knowledge = { enabled: true, topK: 9 };
    const form = { ...createAgentForm('m'), knowledge };
    const agent = { ...toAgentRequest(form), localTools: [] } as unknown as Agent;
    expect(toAgentRequest(toAgentForm(agent)).knowledge).toEqual(knowledge);
  });

  it('parses the schemas that toAgentForm has formatted', () => {
    const localTools = [{ name: 'open', description: '', inputSchema: { type: 'object' } }];
    const form = toAgentForm({
      ...toAgentRequest(createAgentForm('m')),
      tools: [clock],
      localTools,
    } as unknown as Agent);
    expect(form.currentTime).toBe(true);
    expect(form.localTools[0]?.inputSchema).toBe('{\n  "type": "object"\n}');
    expect(toAgentRequest(form).localTools).toEqual(localTools);
  });
});

describe('isSchemaText', () => {
  it('accepts only JSON objects', () => {
    expect(['{}', '{"type":"object"}'].map(isSchemaText)).toEqual([true, true]);
    expect(['', '[]', 'null', '"x"', '{'].map(isSchemaText)).toEqual([false, false, false, false, false]);
  });
});
