import type { Agent, AgentTool, CreateAgentRequest } from '@platform/contracts';
import { keysOf } from '../../../ui/forms/field-names.ts';
import { AGENT_FIELDS } from './agent-fields.tsx';
import { CURRENT_TIME, type AgentForm } from './agent-values.ts';

export function createAgentForm(model: string): AgentForm {
  return { ...fillForm((name) => AGENT_FIELDS[name].initial), model };
}

export function toAgentForm(agent: Agent): AgentForm {
  return {
    ...fillForm((name) => agent[name as keyof Agent]),
    currentTime: agent.tools.some(({ toolId }) => toolId === CURRENT_TIME),
    tools: agent.tools
      .filter(({ toolId }) => toolId !== CURRENT_TIME)
      .map(({ toolId, methods, policies }) => ({ toolId, methods, ...(policies && { policies }) })),
    localTools: agent.localTools.map((tool) => ({
      ...tool,
      inputSchema: JSON.stringify(tool.inputSchema, null, 2),
    })),
  };
}

function fillForm(getValue: (name: keyof AgentForm) => unknown): AgentForm {
  const values = keysOf(AGENT_FIELDS).map((name) => [name, getValue(name)] as const);
  return Object.fromEntries(values) as unknown as AgentForm;
}

/** Returns the request for the form. `before`: the tools that are stored, which know the methods of the clock. */
export function toAgentRequest(
  { currentTime, tools, localTools, ...form }: AgentForm,
  before: readonly AgentTool[] = [],
): CreateAgentRequest {
  const kept = before.find(({ toolId }) => toolId === CURRENT_TIME);
  return {
    ...form,
    tools: currentTime ? [...tools, kept ?? { toolId: CURRENT_TIME, methods: null }] : tools,
    localTools: localTools.map((tool) => ({
      ...tool,
      inputSchema: JSON.parse(tool.inputSchema) as Record<string, unknown>,
    })),
  };
}
