import { Logger } from '@nestjs/common';
import type { ToolExecution } from '@platform/contracts';
import type { Database } from '../../infra/database/database.ts';
import { isUnavailable } from '../../infra/database/unavailable.ts';
import { runUnlessAborted } from '../../infra/runtime/until-aborted.ts';
import { shortened } from '../../infra/errors/error-message.ts';
import type { ModelToolCall } from '../../models/port/model-provider.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { CallPause, type CallNeed } from '../../tools/calls/call-pause.ts';
import { withoutSecrets } from '../../tools/policies/call-approval.ts';
import { ToolError } from '../../tools/calls/tool-error.ts';
import type { ActiveTurn } from './active-turn.ts';
import { openCalls, type OpenCall, type StepMeasures } from '../records/steps.ts';
import type { Question } from '../questions/question.ts';
import { toNeedQuestion } from '../questions/call-needs.ts';
import { parseQuestion } from '../questions/questions.ts';
import { ASK_USER } from './ask-user-tool.ts';
import { decideCall, withEdits, type DecidedCall } from '../questions/decided-call.ts';
import { readArguments, type CallArguments } from './tool-arguments.ts';
import { storeStep } from './store-step.ts';
import type { ToolOutcome, TurnTool } from './turn-tool.ts';

/** Calls of one step that run side by side. */
const PARALLEL = 5;
/** The longest result that the model receives, in UTF-8. */
const MAX_RESULT_BYTES = 256 * 1024;
/** The results of a turn stay in memory until it ends. Once they have so many characters, later ones are cut short. */
const MAX_TURN_RESULTS = 16 * 1024 * 1024;
const SHORT_RESULT_BYTES = 1024;
const CUT = '\n[cut]';
const logger = new Logger('ToolCalls');

/**
 * Completes the open calls of the last model step: each runs once, and its result becomes a step. A call that had
 * already started (its process died) is not run again but reported as interrupted. What people are asked comes last and one at
 * a time: first what calls need, then questions. Returns the first one that has to be answered, or null.
 */
export async function completeToolCalls(
  database: Database,
  turn: ActiveTurn,
  tools: TurnTool[],
): Promise<{ callId: string; question: Question } | null> {
  const open = openCalls(turn.steps);
  const asks = open.filter(({ call }) => isQuestion(call, tools));
  const calls = open.filter(({ call }) => !isQuestion(call, tools));
  await runCalls(
    database,
    turn,
    tools,
    calls.filter(({ state }) => state !== 'paused'),
  );
  // The answer to one call may have approved others as well.
  if (open.some(({ state }) => state === 'answered'))
    await runCalls(database, turn, tools, calls.filter(isForSession));
  for (const { call, need } of openCalls(turn.steps))
    if (need !== null) return { callId: call.id, question: toNeedQuestion(need) };
  for (const { call } of asks) {
    turn.signal.throwIfAborted();
    const read = readArguments(call.arguments);
    const question = typeof read === 'string' ? read : parseQuestion(read);
    if (typeof question !== 'string') return { callId: call.id, question };
    const { text } = failed('VALIDATION_ERROR', question);
    await store(database, turn, { kind: 'tool-result', content: { callId: call.id, text } });
  }
  return null;
}

async function runCalls(
  database: Database,
  turn: ActiveTurn,
  tools: TurnTool[],
  calls: readonly OpenCall[],
): Promise<void> {
  const waiting = [...calls];
  const workers = Array.from({ length: Math.min(PARALLEL, waiting.length) }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      turn.signal.throwIfAborted();
      await runCall(database, turn, tools, next).catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    }
  });
  // All of them must have ended before the turn continues or ends, because they write to its stream.
  const ended = await Promise.allSettled(workers);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

function isForSession({ state, need }: OpenCall): boolean {
  return state === 'paused' && need?.kind === 'APPROVAL' && need.call.once;
}

function isQuestion(call: ModelToolCall, tools: TurnTool[]): boolean {
  return call.name === ASK_USER && tools.some(({ name }) => name === ASK_USER);
}

async function runCall(
  database: Database,
  turn: ActiveTurn,
  tools: TurnTool[],
  { call, state, decided }: OpenCall,
): Promise<void> {
  const { writer } = turn;
  const tool = tools.find((offered) => offered.name === call.name);
  const read = readArguments(call.arguments);
  const known = decideCall(typeof read === 'string' ? {} : read, tool ? decided : []);
  const { approvedBy, edited } = known;
  const input = edited && tool ? withoutSecrets(known.input, tool.parameters) : known.input;
  const shown: ToolExecution = {
    callId: call.id,
    toolId: tool?.toolId ?? call.name,
    tool: tool?.tool ?? call.name,
    method: tool?.method ?? call.name,
    status: 'started',
    arguments: input,
    startedAt: new Date().toISOString(),
    metadata: {
      kind: tool?.kind ?? 'unknown',
      ...(approvedBy !== undefined && { approvedBy }),
      ...(edited && { edited }),
    },
  };
  const begun = performance.now();
  writer.writeFrame('tools', {
    event: 'tool-started',
    tool_call_id: call.id,
    tool_name: call.name,
    input,
  });
  writer.writeEvent('tool.execution', shown);
  turn.executions.set(call.id, shown);

  const outcome = await outcomeOf(database, turn, tool, { call, state, decided: known, read });
  if (outcome instanceof CallPause) {
    await store(database, turn, { kind: 'tool-pause', content: { callId: call.id, need: outcome.need } });
    turn.executions.delete(call.id);
    return;
  }
  const text = clipped(withEdits(outcome.text, known, input), maxResultBytes(turn));
  const { error } = outcome;
  const status = outcome.denied ? 'denied' : error ? 'failed' : 'succeeded';
  const durationMs = Math.round(performance.now() - begun);
  const measured = { kind: shown.metadata.kind, tool: shown.tool, method: shown.method };
  await store(database, turn, {
    kind: 'tool-result',
    content: { callId: call.id, text },
    measures: { durationMs, tool: measured, outcome: status },
  });

  writer.writeFrame(
    'tools',
    error
      ? { event: 'tool-error', tool_call_id: call.id, message: error.message, code: error.code }
      : {
          event: 'tool-finished',
          tool_call_id: call.id,
          tool_name: call.name,
          output: outcome.result ?? text,
        },
  );
  writer.writeEvent('tool.execution', {
    ...shown,
    status,
    ...(error ? { error } : { result: outcome.result ?? text }),
    durationMs,
    metadata: { ...shown.metadata, ...outcome.metadata },
  });
  turn.executions.delete(call.id);
}

async function outcomeOf(
  database: Database,
  turn: ActiveTurn,
  tool: TurnTool | undefined,
  {
    call,
    state,
    decided,
    read,
  }: Pick<OpenCall, 'call' | 'state'> & { decided: DecidedCall; read: CallArguments },
): Promise<ToolOutcome | CallPause> {
  if (state === 'started')
    return failed('INTERRUPTED', 'The call was interrupted; whether it had an effect is not known');
  if (tool === undefined) return failed('NOT_FOUND', `There is no tool named ${call.name}`);
  if (typeof read === 'string') return failed('VALIDATION_ERROR', read);
  if (decided.refusal) {
    const { code, message } = decided.refusal;
    return { ...failed(code, message), denied: true };
  }
  await store(database, turn, { kind: 'tool-call', content: { callId: call.id } });
  failpoint('turns.tool-call');
  try {
    const { signal } = turn;
    const made = { id: call.id, turn, signal, ...decided.given };
    return await runUnlessAborted(signal, () => tool.run(decided.input, made));
  } catch (error) {
    if (error instanceof CallPause) return error;
    turn.signal.throwIfAborted();
    if (isUnavailable(error)) throw error;
    if (error instanceof ToolError) return failed('TOOL_ERROR', error.message);
    // Other errors may contain addresses, statements, and foreign data.
    logger.error({ err: error, turn: turn.id, tool: call.name }, 'A tool failed');
    return failed('TOOL_ERROR', 'The tool failed');
  }
}

function failed(code: string, message: string): ToolOutcome {
  return { text: JSON.stringify({ error: { code, message } }), error: { code, message } };
}

async function store(
  database: Database,
  turn: ActiveTurn,
  step:
    | { kind: 'tool-call'; content: { callId: string } }
    | { kind: 'tool-pause'; content: { callId: string; need: CallNeed } }
    | { kind: 'tool-result'; content: { callId: string; text: string }; measures?: StepMeasures },
): Promise<void> {
  const tokens = step.kind === 'tool-result' ? await countTokens(step.content.text) : 0;
  await storeStep(database, turn, { ...step, tokens });
}

function maxResultBytes({ steps }: ActiveTurn): number {
  const taken = steps.reduce(
    (sum, step) => sum + (step.kind === 'tool-result' ? step.content.text.length : 0),
    0,
  );
  return taken < MAX_TURN_RESULTS ? MAX_RESULT_BYTES : SHORT_RESULT_BYTES;
}

function clipped(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return `${shortened(text, maxBytes - CUT.length)}${CUT}`;
}
