import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ToolInvocation } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { CallPause } from '../../tools/calls/call-pause.ts';
import { ToolDirectoryService, type OfferedMethod } from '../../tools/definition/tool-directory.service.ts';
import {
  policyOf,
  resolvePolicy,
  type CallRules,
  type ResolvedPolicy,
} from '../../tools/policies/call-policy.ts';
import { webSearchTool } from '../../tools/platform/web-search-tool.ts';
import { ToolError } from '../../tools/calls/tool-error.ts';
import type { ActiveTurn } from './active-turn.ts';
import { findAttachment, insertAttachment } from '../records/attachment.store.ts';
import { nameMethods, withoutPorts } from './tool-names.ts';
import type { ToolOutcome, TurnCall, TurnTool } from './turn-tool.ts';
import { TurnToolsService, type TurnToolSource } from './turn-tools.service.ts';

/** Errors of calls whose messages are meant for the model. */
const FOR_THE_MODEL: readonly string[] = ['VALIDATION_ERROR', 'TOOL_ERROR', 'NOT_FOUND', 'CONFLICT'];

/** Offers the methods of the tools that an agent lists. */
@Injectable()
export class ListedToolsService implements TurnToolSource, OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly tools: TurnToolsService,
    private readonly directory: ToolDirectoryService,
  ) {}

  onModuleInit(): void {
    this.tools.register(this);
  }

  async toolsFor(turn: ActiveTurn): Promise<TurnTool[]> {
    const { spaceId } = turn.agent;
    const tools = turn.agent.tools.filter(
      ({ toolId }) => !(turn.settings.disableWebSearch && toolId === webSearchTool.name),
    );
    const methods = await this.directory.listOffered(this.database, spaceId, tools);
    const callable = methods.filter((method) => admissionOf(turn, method).policy.mode !== 'never');
    const names = nameMethods(callable);
    return callable.map((method, i) => this.toTurnTool(turn, method, names[i] ?? ''));
  }

  private toTurnTool(turn: ActiveTurn, method: OfferedMethod, name: string): TurnTool {
    const { toolId, toolName, description, inputSchema, acts, kind } = method;
    return {
      name,
      description,
      parameters: withoutPorts(inputSchema),
      toolId,
      tool: toolName,
      method: method.name,
      kind,
      acts,
      run: async (input, call) => toOutcome(await this.call(turn, method, input, call), kind),
    };
  }

  private async call(
    turn: ActiveTurn,
    method: OfferedMethod,
    input: Record<string, unknown>,
    { signal, consent, answer }: TurnCall,
  ): Promise<ToolInvocation> {
    const { agent, session, userId, causationRunId } = turn;
    const { toolId, name } = method;
    const caller = { spaceId: agent.spaceId, userId, causationRunId };
    try {
      return await this.directory.invoke(caller, toolId, name, input, {
        signal,
        rule: ruleOf(turn, method),
        placeId: session.ref,
        mayPause: turn.settings.interactive,
        ...(consent && { consent }),
        ...(answer && { answer }),
        agent: { id: agent.id, name: agent.name },
        readAttachment: (id) => findAttachment(this.database, session.ref, id),
        saveAttachment: (file) =>
          insertAttachment(this.database, { spaceId: agent.spaceId, sessionRef: session.ref }, file),
      });
    } catch (error) {
      if (error instanceof CallPause) throw error;
      if (!(error instanceof AppError) || !FOR_THE_MODEL.includes(error.code)) throw error;
      throw new ToolError(error.message, { cause: error });
    }
  }
}

/** What the agent says of calls of a method. */
function ruleOf({ agent }: ActiveTurn, { toolId, name }: OfferedMethod): CallRules['caller'] {
  const listed = agent.tools.find((tool) => tool.toolId === toolId);
  const policy = policyOf(listed?.policies, name);
  return policy && { rule: 'agent', policy };
}

function admissionOf(turn: ActiveTurn, method: OfferedMethod): ResolvedPolicy {
  const { kind, acts, policy } = method;
  return resolvePolicy({ kind, acts, method: policy, caller: ruleOf(turn, method) });
}

/** The model receives the output alone if the call succeeded, otherwise with the status. */
function toOutcome({ status, output, cached, warnings }: ToolInvocation, kind: string): ToolOutcome {
  const result = status < 400 ? output : { status, output };
  return {
    text: JSON.stringify(result ?? null),
    result,
    ...((kind === 'http' || kind === 'mcp') && {
      metadata: { httpStatus: status, cached, ...(warnings.length > 0 && { warnings }) },
    }),
  };
}
