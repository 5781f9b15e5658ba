import { Injectable } from '@nestjs/common';
import type { AgentVariable, ChatResponse } from '@platform/contracts';
import { AgentsService, type AgentFacts } from '../agents/agents.service.ts';
import type { InvocableAgent } from '../agents/invocable-agent.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { AppError, invalid, invalidFor } from '../infra/errors/app-error.ts';
import { isObject } from '../infra/runtime/json.ts';
import { namedUuid } from '../infra/runtime/named-uuid.ts';
import type { OpenedSegment } from '../turns/answers/opened-segment.ts';
import { SegmentReaderService } from '../turns/answers/segment-reader.service.ts';
import { checkInputs, executeSettings, readInputs } from '../turns/input/execute-inputs.ts';
import { InteractionsService } from '../turns/interactions/interactions.service.ts';
import { CancellationService } from '../turns/lifecycle/cancellation.service.ts';
import { toAnswer, toForm } from '../turns/questions/question-form.ts';
import { TurnsService } from '../turns/lifecycle/turns.service.ts';
import { TurnRunningError } from '../turns/records/turn-state.ts';
import { formatHandle, type Handle } from './handle.ts';
import type { NamedOffer } from './mcp-offers.entity.ts';
import type { McpCall, McpOutcome, McpTool, Reply } from './mcp-tool.ts';

type TurnHandle = Extract<Handle, { kind: 'turn' }>;

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
    private readonly reader: SegmentReaderService,
    private readonly interactions: InteractionsService,
    private readonly cancellation: CancellationService,
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

  /** Goes on with a turn: answers its question if there is a reply, and waits for what comes next. */
  async resume({ agentId, turnId }: TurnHandle, call: McpCall): Promise<McpOutcome> {
    const caller = call.call.by;
    const agent = await this.agents.getInvocable(caller, agentId);
    const turn = await this.turns.find(caller, agentId, turnId);
    const opened =
      call.reply === null
        ? await this.turns.attach(caller, agentId, turnId, null, 0)
        : await this.answer(call, { agent, turnId, sessionId: turn.sessionName }, call.reply);
    return opened === null ? declined() : this.wait(opened, agent, call);
  }

  async cancel({ agentId, turnId }: TurnHandle, { call: { by } }: McpCall): Promise<McpOutcome> {
    const turn = await this.turns.find(by, agentId, turnId);
    const { status } = await this.cancellation.cancel(by, agentId, turnId, turn.sessionName);
    return { kind: 'done', text: `The turn is ${status}.` };
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
    if (!isObject(variables)) throw invalid('variables must be an object');
    const inputs = {
      ...variables,
      query: message,
      memory: session !== undefined,
      ...(session !== undefined && { session_id: session }),
    };
    const problems = checkInputs(inputs, 'variables');
    if (problems.length > 0) throw invalidFor(problems);
    const read = readInputs(inputs as Parameters<typeof readInputs>[0], agent);
    const { idempotencyKey } = call;
    // The same key of the same person starts one turn of an agent.
    const turnId = idempotencyKey === null ? null : namedUuid('mcp', agentId, caller.userId, idempotencyKey);
    const start = {
      caller,
      agent,
      contents: read.contents,
      sessionName: read.memory ? read.sessionName : null,
      turnId,
      settings: executeSettings(agent.settings, {}, read, { interactive: true }),
      requestId: call.call.requestId,
      hidden: !read.memory,
    };
    const opened = await this.turns.start(start).catch((error: unknown) => {
      if (turnId === null || !(error instanceof TurnRunningError)) throw error;
      return this.turns.attach(caller, agentId, turnId, null, 0);
    });
    return this.wait(opened, agent, call);
  }

  /** Null: the person declined, so the turn was canceled. */
  private async answer(
    { call: { by, requestId } }: McpCall,
    { agent, turnId, sessionId }: { agent: InvocableAgent; turnId: string; sessionId: string },
    { interactionId, values }: Reply,
  ): Promise<OpenedSegment | null> {
    if (values === null) {
      await this.cancellation.cancel(by, agent.id, turnId, sessionId);
      return null;
    }
    const pending = await this.interactions.findQuestion(by, agent.id, turnId, interactionId);
    const answer = toAnswer(pending, values);
    return this.interactions.resume(by, agent, turnId, { sessionId, interactionId, answer }, requestId);
  }

  private async wait(opened: OpenedSegment, agent: InvocableAgent, call: McpCall): Promise<McpOutcome> {
    const handle = formatHandle({ kind: 'turn', agentId: agent.id, turnId: opened.turnId });
    let answer: ChatResponse;
    try {
      answer = await this.reader.collect(opened, call.waiting);
    } catch (error) {
      if (call.waiting.aborted) return { kind: 'working', handle };
      // The turn is what failed, and its handle says so to whoever asks again.
      if (error instanceof AppError) return { kind: 'done', text: error.message, isError: true };
      throw error;
    }
    const { interaction, status } = answer;
    if (interaction !== null) {
      const latest = await this.turns.attach(call.call.by, agent.id, opened.turnId, null, 0);
      // A repeated call finds its first question, which may have been answered meanwhile.
      if (latest.segment > opened.segment) return this.wait(latest, agent, call);
      return { kind: 'asking', handle, interactionId: interaction.interactionId, form: toForm(interaction) };
    }
    return {
      kind: 'done',
      text: status === 'cancelled' ? 'The turn was canceled.' : answer.answer,
      isError: status === 'cancelled',
      structured: { answer: answer.answer, status, handle },
    };
  }
}

const declined = (): McpOutcome => ({
  kind: 'done',
  text: 'The person declined the question, and the turn was canceled.',
  isError: true,
});

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
