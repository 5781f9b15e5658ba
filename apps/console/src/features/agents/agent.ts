import type { Agent, AgentListing, AgentSettings, AgentTool, CreateAgentRequest } from '@platform/contracts';
import { parseJsonObject } from '../../ui/code/parse-json.ts';

/** Whether the agent has all fields. Only owners and admins receive them. */
export function isFullAgent(agent: Agent | AgentListing): agent is Agent {
  return 'systemPrompt' in agent;
}

/** Id of the built-in tool that has its own switch. */
export const CURRENT_TIME = 'current_time';

/** The values of the form. */
export interface AgentForm extends Required<Pick<CreateAgentRequest, 'name' | 'model' | 'systemPrompt'>> {
  description: string;
  accessScope: Agent['accessScope'];
  allowedUserIds: string[];
  currentTime: boolean;
  /** The tools that have no switch of their own. */
  tools: AgentTool[];
  askUser: boolean;
  knowledge: Agent['knowledge'];
  localTools: LocalToolForm[];
  settings: AgentSettings;
}

export interface LocalToolForm {
  name: string;
  description: string;
  /** JSON text as entered. */
  inputSchema: string;
}

export const NEW_LOCAL_TOOL: LocalToolForm = {
  name: '',
  description: '',
  inputSchema: JSON.stringify({ type: 'object', properties: {} }, null, 2),
};

const MAX_LOCAL_TOOLS = 64;

/** Names of the form fields as they appear in error messages of the service. */
export const AGENT_FIELDS = [
  'name',
  'description',
  'model',
  'systemPrompt',
  'accessScope',
  'allowedUserIds',
  'askUser',
  'knowledge.topK',
  'tools',
  'settings.temperature',
  'settings.max_tokens',
  'settings.top_p',
  'settings.frequency_penalty',
  'settings.presence_penalty',
  ...Array.from({ length: MAX_LOCAL_TOOLS }, (_, i) =>
    ['name', 'description', 'inputSchema'].map((field) => `localTools.${i}.${field}`),
  ).flat(),
];

export function toAgentForm(agent: Agent): AgentForm {
  const { name, description, model, systemPrompt, accessScope, allowedUserIds, askUser, settings } = agent;
  const { knowledge } = agent;
  return {
    ...{ name, description, model, systemPrompt, accessScope, allowedUserIds, askUser, settings },
    knowledge,
    currentTime: agent.tools.some(({ toolId }) => toolId === CURRENT_TIME),
    tools: agent.tools
      .filter(({ toolId }) => toolId !== CURRENT_TIME)
      .map(({ toolId, methods }) => ({ toolId, methods })),
    localTools: agent.localTools.map((tool) => ({
      ...tool,
      inputSchema: JSON.stringify(tool.inputSchema, null, 2),
    })),
  };
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

/** Whether the text is a JSON object, as required for a JSON Schema. */
export function isSchemaText(text: string): boolean {
  return parseJsonObject(text) !== undefined;
}

export function createAgentForm(model: string): AgentForm {
  return {
    name: '',
    description: '',
    model,
    systemPrompt: '',
    accessScope: 'SPACE',
    allowedUserIds: [],
    currentTime: false,
    tools: [],
    askUser: true,
    knowledge: { enabled: false, topK: 5 },
    localTools: [],
    settings: {},
  };
}
