import { Injectable } from '@nestjs/common';
import type { AgentVariable } from '@platform/contracts';
import { AgentsService, type AgentFacts } from '../../agents/agents.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { namedUuid } from '../../infra/runtime/named-uuid.ts';
import {
  checkInputs,
  executeSettings,
  isSessionName,
  readInputs,
  SESSION_NAME,
} from '../../turns/input/execute-inputs.ts';
import { TurnsService } from '../../turns/lifecycle/turns.service.ts';
import { TurnRunningError } from '../../turns/records/turn-state.ts';
import type { NamedOffer } from '../offers/mcp-offers.entity.ts';
import { AgentWorkService } from '../work/agent-work.service.ts';
import type { McpCall, McpOutcome, McpTool } from '../work/mcp-tool.ts';

const MESSAGE = { type: 'string', minLength: 1, description: 'What to ask the agent.' };
const SESSION = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'Calls with the same session continue one conversation. Default: a conversation of its own.',
};
const OUTPUT = {
  type: 'object',
  properties: {
    answer: { type: 'string' },
    status: { type: 'string' },
    handle: { type: 'string' },
  },
  required: ['status', 'handle'],
} as const;

/** Agents as tools. A call is a turn of the caller, which goes on if its client leaves. */
@Injectable()
export class AgentToolsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly turns: TurnsService,
    private readonly work: AgentWorkService,
  ) {}

  /** The offered agents that the caller may invoke. */
  async list(caller: UserPrincipal, offers: readonly NamedOffer[]): Promise<McpTool[]> {
    const found = await this.agents.listInvocable(
      caller,
      offers.map(({ id }) => id),
    );
    const byId = new Map(found.map((agent) => [agent.id, agent]));
    return offers.flatMap(({ id, name }) => {
      const agent = byId.get(id);
      return agent === undefined ? [] : [this.toTool(name, agent)];
    });
  }

  private toTool(name: string, agent: AgentFacts): McpTool {
    return {
      listed: {
        name,
        title: agent.name,
        description: agent.description === '' ? `Asks the agent ${agent.name}.` : agent.description,
        inputSchema: inputSchemaOf(agent.variables),
        outputSchema: OUTPUT,
      },
      run: (input, call) => this.ask(agent.id, input, call),
    };
  }

  private async ask(agentId: string, input: Record<string, unknown>, call: McpCall): Promise<McpOutcome> {
    const caller = call.call.by;
    const agent = await this.agents.getInvocable(caller, agentId);
    const { message, session, variables = {} } = input;
    if (typeof message !== 'string' || message === '') throw invalid('message must be a text');
    if (session !== undefined && session !== null && !isSessionName(session))
      throw invalid(`session must be ${SESSION_NAME}`);
    if (!isObject(variables)) throw invalid('variables must be an object');
    const inputs = {
      ...variables,
      query: message,
      memory: session !== undefined,
      ...(session !== undefined && { session_id: session }),
    };
    const problems = checkInputs(inputs, 'variables');
    if (problems.length > 0) throw invalidFor(problems);
    const read = readInputs(inputs as Parameters<typeof readInputs>[0], agent, 'variables');
    const { idempotencyKey } = call;
    // The same key of the same person starts one turn of an agent.
    const turnId = idempotencyKey === null ? null : namedUuid('mcp', agentId, caller.userId, idempotencyKey);
    const start = {
      caller,
      agent,
      contents: read.contents,
      sessionName: read.memory ? read.sessionName : null,
      turnId,
      settings: {
        ...executeSettings(agent.settings, {}, read, { interactive: true }),
        ...(call.traceparent !== null && { traceparent: call.traceparent }),
      },
      requestId: call.call.requestId,
      hidden: !read.memory,
    };
    const opened = await this.turns.start(start).catch((error: unknown) => {
      if (turnId === null || !(error instanceof TurnRunningError)) throw error;
      return this.turns.attach(caller, agentId, turnId, null, 0);
    });
    if (!call.followsWork) return this.work.wait(opened, agent, call);
    const handle = { kind: 'turn', agentId, turnId: opened.turnId } as const;
    return { kind: 'started', work: await this.work.describe(handle, call) };
  }
}

function inputSchemaOf(variables: readonly AgentVariable[]): McpTool['listed']['inputSchema'] {
  const properties = { message: MESSAGE, session: SESSION };
  if (variables.length === 0) return { type: 'object', properties, required: ['message'] };
  const required = variables.filter((variable) => variable.required && variable.default === undefined);
  const named = variables.map(({ name, description, default: preset }) => [
    name,
    { type: 'string', ...(description && { description }), ...(preset !== undefined && { default: preset }) },
  ]);
  return {
    type: 'object',
    properties: {
      ...properties,
      variables: {
        type: 'object',
        description: 'The variables of the prompt.',
        properties: Object.fromEntries(named) as Record<string, { type: string }>,
        required: required.map(({ name }) => name),
      },
    },
    required: required.length > 0 ? ['message', 'variables'] : ['message'],
  };
}
