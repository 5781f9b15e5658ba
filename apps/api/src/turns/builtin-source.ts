import { builtinTools } from '../tools/builtin-tools.ts';
import type { ActiveTurn } from './active-turn.ts';
import { modelToolName } from './tool-names.ts';
import type { TurnTool, TurnToolSource } from './turn-tools.ts';

/** Offers the built-in tools that an agent lists. */
export const builtinSource: TurnToolSource = {
  async toolsFor(turn: ActiveTurn): Promise<TurnTool[]> {
    return turn.agent.tools.flatMap(({ toolId, methods }) => {
      const tool = builtinTools.get(toolId);
      const offered = tool?.methods.filter(({ name }) => methods === null || methods.includes(name)) ?? [];
      return offered.map(({ name, description, inputSchema, acts, run }) => ({
        name: modelToolName(toolId, name),
        description,
        parameters: inputSchema,
        toolId,
        tool: toolId,
        method: name,
        kind: 'builtin',
        acts,
        run: async (input) => {
          const result = await run(input, new Date());
          return { text: JSON.stringify(result), result };
        },
      }));
    });
  },
};
