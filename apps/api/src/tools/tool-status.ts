import type { AgentTool } from '@platform/contracts';
import { builtinTools } from './builtin-tools.ts';

/** Returns a sentence about tools or methods that an agent lists but that do not exist, or null. */
export function missingTool({ toolId, methods }: AgentTool): string | null {
  const tool = builtinTools.get(toolId);
  if (tool === undefined) return `The agent lists the tool ${toolId}, which does not exist`;
  const missing = methods?.filter((name) => !tool.methods.some((method) => method.name === name)) ?? [];
  return missing.length === 0
    ? null
    : `The agent lists methods that the tool ${toolId} does not have: ${missing.join(', ')}`;
}
