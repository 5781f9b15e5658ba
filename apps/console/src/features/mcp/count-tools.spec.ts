import { describe, expect, it } from '@jest/globals';
import { countTools } from './count-tools.ts';

describe('countTools', () => {
  it('counts agents, tasks, chosen methods, all methods of a tool, and the tools that are always there', () => {
    const tools = [
      { toolId: 'a', methods: ['x', 'y'] },
      { toolId: 'b', methods: null },
      { toolId: 'gone', methods: null },
    ];
    const listings = [
      { id: 'a', methodCount: 9 },
      { id: 'b', methodCount: 5 },
    ];
    expect(countTools({ agents: ['1'], tasks: ['2', '3'], tools }, listings)).toBe(12);
    expect(countTools({ agents: ['1'], tasks: ['2', '3'], tools, knowledge: true }, listings)).toBe(13);
    expect(countTools(undefined, [])).toBe(2);
  });
});
