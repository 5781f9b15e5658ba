import { Injectable } from '@nestjs/common';
import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import { AgentsService, type AgentFacts } from '../../agents/agents.service.ts';
import { hasScope, type UserPrincipal } from '../../auth/principals/principal.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { McpOffersService } from '../offers/mcp-offers.service.ts';

interface OfferedAgent {
  name: string;
  agent: AgentFacts;
}

const MESSAGE = 'message';

/**
 * Agents with variables as prompts. A prompt is how to ask the agent, and never the prompt of the agent, which is not for all
 * who may invoke it.
 */
@Injectable()
export class McpPromptsService {
  constructor(
    private readonly offers: McpOffersService,
    private readonly agents: AgentsService,
  ) {}

  async list(caller: UserPrincipal): Promise<ListPromptsResult> {
    const offered = await this.listOffered(caller);
    return {
      prompts: offered.map(({ name, agent }) => ({
        name,
        title: agent.name,
        description: agent.description === '' ? `Asks the agent ${agent.name}.` : agent.description,
        arguments: [
          { name: messageOf(agent), description: 'What to ask the agent.', required: true },
          ...agent.variables.map((variable) => ({
            name: variable.name,
            ...(variable.description && { description: variable.description }),
            required: isRequired(variable),
          })),
        ],
      })),
    };
  }

  /** The message that asks the agent. Null: the caller has no such prompt. Throws VALIDATION_ERROR for its arguments. */
  async get(
    caller: UserPrincipal,
    wanted: string,
    given: Readonly<Record<string, string>>,
  ): Promise<GetPromptResult | null> {
    const found = (await this.listOffered(caller)).find(({ name }) => name === wanted);
    if (found === undefined) return null;
    const { name, agent } = found;
    const messageKey = messageOf(agent);
    const known = new Set([messageKey, ...agent.variables.map((variable) => variable.name)]);
    const needed = [messageKey, ...agent.variables.filter(isRequired).map((variable) => variable.name)];
    const problems = [
      ...Object.keys(given).flatMap((key) => (known.has(key) ? [] : [`the prompt has no argument ${key}`])),
      ...needed.flatMap((key) => (given[key] ? [] : [`the argument ${key} is required`])),
    ];
    if (problems.length > 0) throw invalidFor(problems);
    const { [messageKey]: message, ...variables } = given;
    const text = `Call the tool ${name} with these arguments:\n\n${JSON.stringify({ message, variables }, null, 2)}`;
    return {
      description: `Asks the agent ${agent.name}.`,
      messages: [{ role: 'user', content: { type: 'text', text } }],
    };
  }

  private async listOffered(caller: UserPrincipal): Promise<OfferedAgent[]> {
    if (!hasScope(caller, 'invoke')) return [];
    const { agents: offers } = await this.offers.load(caller.spaceId);
    const ids = offers.map(({ id }) => id);
    const found = await this.agents.listInvocable(caller, ids);
    const byId = new Map(found.map((agent) => [agent.id, agent]));
    return offers.flatMap(({ id, name }) => {
      const agent = byId.get(id);
      return agent === undefined || agent.variables.length === 0 ? [] : [{ name, agent }];
    });
  }
}

const isRequired = ({ required, default: preset }: AgentFacts['variables'][number]) =>
  required === true && preset === undefined;

/** The name of the argument for the message, which no variable has. */
function messageOf({ variables }: AgentFacts): string {
  const isTaken = (key: string) => variables.some(({ name }) => name === key);
  let key = MESSAGE;
  while (isTaken(key)) key = `_${key}`;
  return key;
}
