import type {
  AccessScope,
  AgentKnowledge,
  AgentSettings,
  AgentTool,
  AgentVariable,
  CreateAgentRequest,
  LocalToolDeclaration,
  UpdateAgentRequest,
} from '@platform/contracts';
import {
  assertRenderable,
  hasTooManyPlaceholders,
  MAX_PLACEHOLDERS,
  variableNameProblem,
  variablesOf,
} from './template.ts';

/** What its makers decide of an agent; what a version keeps. */
export interface AgentDefinition {
  name: string;
  description: string;
  model: string;
  systemPrompt: string;
  accessScope: AccessScope;
  allowedUserIds: string[];
  /** As declared; what the prompt uses besides is found in the prompt. */
  variables: AgentVariable[];
  tools: AgentTool[];
  localTools: LocalToolDeclaration[];
  knowledge: AgentKnowledge;
  settings: AgentSettings;
  askUser: boolean;
}

const DEFAULT_KNOWLEDGE: AgentKnowledge = { enabled: false, topK: 5 };

/** An agent as asked for, with defaults for the rest. */
export function newAgent(request: CreateAgentRequest): AgentDefinition {
  const { name, model, systemPrompt } = request;
  const nothingElse: AgentDefinition = {
    name,
    model,
    systemPrompt,
    description: '',
    accessScope: 'SPACE',
    allowedUserIds: [],
    variables: [],
    tools: [],
    localTools: [],
    knowledge: DEFAULT_KNOWLEDGE,
    settings: {},
    askUser: true,
  };
  return changedAgent(nothingElse, request);
}

/** An agent after a change: what is given replaces its field whole. */
export function changedAgent(current: AgentDefinition, change: UpdateAgentRequest): AgentDefinition {
  return {
    name: change.name ?? current.name,
    description: change.description ?? current.description,
    model: change.model ?? current.model,
    systemPrompt: change.systemPrompt ?? current.systemPrompt,
    accessScope: change.accessScope ?? current.accessScope,
    allowedUserIds: change.allowedUserIds ? [...new Set(change.allowedUserIds)] : current.allowedUserIds,
    variables: change.variables?.map(withoutNulls) ?? current.variables,
    tools:
      change.tools?.map((tool) => ({ toolId: tool.toolId, methods: tool.methods ?? null })) ?? current.tools,
    localTools: change.localTools ?? current.localTools,
    knowledge: change.knowledge
      ? { ...DEFAULT_KNOWLEDGE, ...withoutNulls(change.knowledge) }
      : current.knowledge,
    settings: change.settings ? withoutNulls(change.settings) : current.settings,
    askUser: change.askUser ?? current.askUser,
  };
}

/** What is wrong with the variables that a prompt names; one sentence each. Throws if the prompt is too long. */
export function promptProblems({
  systemPrompt,
  variables,
}: Pick<AgentDefinition, 'systemPrompt' | 'variables'>): string[] {
  if (hasTooManyPlaceholders(systemPrompt))
    return [`systemPrompt must have at most ${MAX_PLACEHOLDERS} {{variables}}, repetitions included`];
  assertRenderable(systemPrompt, variables, {});
  return variablesOf(systemPrompt).flatMap((name) => {
    const problem = variableNameProblem(name);
    return problem === null ? [] : [`systemPrompt: the variable {{${name}}} ${problem}`];
  });
}

function withoutNulls<T extends object>(value: T): T {
  const kept = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(kept) as T;
}
