import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import {
  findLocalToolCall,
  openLocalToolCall,
  storeLocalToolResult,
  type LocalToolResult,
} from '../records/local-tool-call.store.ts';
import { Database } from '../../infra/database/database.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { conflict, notFound, type AppError } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import type { ActiveTurn } from '../engine/active-turn.ts';
import type { TurnRow } from '../records/turn.ts';
import type { ToolOutcome, TurnTool } from '../engine/turn-tool.ts';
import { TurnToolsService, type TurnToolSource } from '../engine/turn-tools.service.ts';
import { TurnsService } from '../lifecycle/turns.service.ts';

/** How long a client can take to run a local tool. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 250;
/** They fit into a frame with all that is around them: in one that is too large, they would be cut. */
const MAX_ARGUMENTS_BYTES = 30 * 1024;

type Outcome = LocalToolResult | { expired: true };

/** Runs tools in the client: the turn announces the call and waits, and the first result wins. */
@Injectable()
export class LocalToolsService implements TurnToolSource, OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly tools: TurnToolsService,
    private readonly turns: TurnsService,
  ) {}

  onModuleInit(): void {
    this.tools.register(this);
  }

  /** Only tools that the agent declares *and* the caller has registered. */
  async toolsFor(turn: ActiveTurn): Promise<TurnTool[]> {
    if (!turn.settings.interactive) return [];
    const registered = new Set(turn.settings.registeredLocalTools);
    return turn.agent.localTools
      .filter(({ name }) => registered.has(name))
      .map(({ name, description, inputSchema }) => ({
        name,
        description,
        parameters: inputSchema,
        toolId: name,
        tool: name,
        method: name,
        kind: 'local',
        acts: true,
        run: (input, { id, signal }) => this.call(turn, name, id, input, signal),
      }));
  }

  /** Stores the client's result of a call. The same result again is accepted; a different or late one is a 409. */
  async answer(
    caller: UserPrincipal,
    agentId: string,
    turnId: string,
    callId: string,
    result: LocalToolResult,
  ): Promise<void> {
    const turn = await this.turns.find(caller, agentId, turnId);
    if (!isText(callId)) throw unknownCall(turn, callId);
    if (await storeLocalToolResult(this.database, turn.id, callId, result)) return;
    await this.assertRepeated(turn, callId, result);
  }

  private async assertRepeated(turn: TurnRow, callId: string, result: LocalToolResult): Promise<void> {
    const known = await findLocalToolCall(this.database, turn.id, callId);
    if (known === null) throw unknownCall(turn, callId);
    if (known.outcome === null) throw conflict(`The result of ${callId} came too late`);
    const repeated = isDeepStrictEqual(known.outcome, JSON.parse(JSON.stringify(result)));
    if (!repeated) throw conflict(`The call ${callId} already has another result`);
  }

  private async call(
    turn: ActiveTurn,
    tool: string,
    callId: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const bytes = Buffer.byteLength(JSON.stringify(input));
    if (bytes > MAX_ARGUMENTS_BYTES)
      return failure(
        'VALIDATION_ERROR',
        `The arguments of a local tool must have at most ${MAX_ARGUMENTS_BYTES} bytes as JSON, not ${bytes}`,
      );
    const open = () => openLocalToolCall(this.database, turn.id, callId, TIMEOUT_MS);
    await whileUnavailable(open, signal);
    // A turn that was stopped in the meantime may be ending, and nothing may be written after its end.
    signal.throwIfAborted();
    turn.writer.writeEvent('local.tool.call', { callId, tool, arguments: input, timeoutMs: TIMEOUT_MS });
    return toToolOutcome(await this.outcome(turn.id, callId, signal));
  }

  /** Waits for the result, which can arrive in another process, so it is read from the row. */
  private async outcome(turnRef: string, callId: string, signal: AbortSignal): Promise<Outcome> {
    for (;;) {
      const find = () => findLocalToolCall(this.database, turnRef, callId);
      const row = await whileUnavailable(find, signal);
      if (row?.outcome) return row.outcome;
      // From then on, results are rejected, so none can still be the first.
      if (row?.late ?? true) return { expired: true };
      await delay(POLL_MS, undefined, { signal });
    }
  }
}

function unknownCall(turn: TurnRow, callId: string): AppError {
  return notFound(`Turn ${turn.turnId} has no local tool call ${callId}`);
}

function toToolOutcome(outcome: Outcome): ToolOutcome {
  if ('result' in outcome) return { text: JSON.stringify(outcome.result), result: outcome.result };
  if ('error' in outcome) return failure('TOOL_ERROR', outcome.error);
  if ('denied' in outcome)
    return { ...failure('DENIED', outcome.reason ?? 'The user did not allow it'), denied: true };
  return failure('TIMEOUT', `The client sent no result within ${TIMEOUT_MS / 1000} s`);
}

function failure(code: string, message: string): ToolOutcome {
  return { text: JSON.stringify({ error: { code, message } }), error: { code, message } };
}
