import type { Agent, AgentListing, AgentSettings, CreateAgentRequest } from '@platform/contracts';

/** Owners and admins get the whole agent, others what a listing shows. */
export function isWhole(agent: Agent | AgentListing): agent is Agent {
  return 'systemPrompt' in agent;
}

const PLACEHOLDER = /\{\{\s*([\p{L}_][\p{L}\p{N}_-]{0,63})\s*\}\}/gu;

/** The names of the `{{variables}}` in a template, each once, in their order. */
export function variablesOf(template: string): string[] {
  return [...new Set(Array.from(template.matchAll(PLACEHOLDER), (match) => match[1] ?? ''))];
}

/** What the form edits. */
export interface AgentForm extends Required<Pick<CreateAgentRequest, 'name' | 'model' | 'systemPrompt'>> {
  description: string;
  accessScope: Agent['accessScope'];
  allowedUserIds: string[];
  askUser: boolean;
  settings: AgentSettings;
}

/** Names of the form's fields as the server's refusals name them. */
export const AGENT_FIELDS = [
  'name',
  'description',
  'model',
  'systemPrompt',
  'accessScope',
  'allowedUserIds',
  'askUser',
  'settings.temperature',
  'settings.max_tokens',
  'settings.top_p',
  'settings.frequency_penalty',
  'settings.presence_penalty',
] as const;

export function formOf(agent: Agent): AgentForm {
  const { name, description, model, systemPrompt, accessScope, allowedUserIds, askUser, settings } = agent;
  return { name, description, model, systemPrompt, accessScope, allowedUserIds, askUser, settings };
}

export function newForm(model: string): AgentForm {
  return {
    name: '',
    description: '',
    model,
    systemPrompt: '',
    accessScope: 'SPACE',
    allowedUserIds: [],
    askUser: true,
    settings: {},
  };
}
