import {
  listVariables,
  type AgentTool,
  type CreateAgentRequest,
  type UpdateAgentRequest,
} from '@platform/contracts';
import { givenFields, withoutNulls } from '../infra/runtime/json.ts';
import { toPolicy } from '../tools/policies/call-policy.ts';
import { AgentDefinition } from './agent.entity.ts';
import {
  assertRenderable,
  hasTooManyPlaceholders,
  MAX_PLACEHOLDERS,
  variableNameProblem,
} from './template.ts';

/** A stored snapshot as a complete definition: fields that it lacks have their defaults. */
export function definitionOf(snapshot: Partial<AgentDefinition>): AgentDefinition {
  return Object.assign(new AgentDefinition(), snapshot);
}

/** The definition of a new agent: the request, with defaults for the rest. */
export function newDefinition(request: CreateAgentRequest): AgentDefinition {
  return changeDefinition(new AgentDefinition(), request);
}

/**
 * A definition after a change. A given field replaces the previous value completely; null clears a nullable one, and
 * otherwise counts as absent.
 */
export function changeDefinition(
  current: AgentDefinition,
  { version, ...change }: UpdateAgentRequest,
): AgentDefinition {
  const { allowedUserIds, variables, tools, knowledge, settings } = change;
  const defaults = new AgentDefinition();
  const changed = {
    ...change,
    allowedUserIds: allowedUserIds && [...new Set(allowedUserIds)],
    variables: variables?.map(withoutNulls),
    tools: tools?.map(toAgentTool),
    knowledge: knowledge && { ...defaults.knowledge, ...withoutNulls(knowledge) },
    settings: settings && withoutNulls(settings),
  };
  return Object.assign(new AgentDefinition(), current, givenFields(changed, defaults));
}

function toAgentTool({ toolId, methods, policies }: AgentTool): AgentTool {
  const given = Object.entries(policies ?? {}).map(([name, policy]) => [name, toPolicy(policy)] as const);
  return {
    toolId,
    methods: methods ?? null,
    ...(given.length > 0 && { policies: Object.fromEntries(given) }),
  };
}

/** What is wrong with the variables in a prompt, one sentence each. Throws if the prompt is too long. */
export function promptProblems({
  systemPrompt,
  variables,
}: Pick<AgentDefinition, 'systemPrompt' | 'variables'>): string[] {
  if (hasTooManyPlaceholders(systemPrompt))
    return [`systemPrompt must have at most ${MAX_PLACEHOLDERS} {{variables}}, repetitions included`];
  assertRenderable(systemPrompt, variables, {});
  return listVariables(systemPrompt).flatMap((name) => {
    const problem = variableNameProblem(name);
    return problem === null ? [] : [`systemPrompt: the variable {{${name}}} ${problem}`];
  });
}
