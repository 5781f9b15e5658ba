import type { SpanStatus, TraceSpan, TurnStatus } from '@platform/contracts';
import { shortened } from '../../infra/errors/error-message.ts';
import type { ModelToolCall } from '../../models/port/model-provider.ts';
import { toKnowledgeEvidence } from '../answers/knowledge-evidence.ts';
import { formatUsage } from '../answers/token-usage.ts';
import { describePurpose } from '../questions/call-needs.ts';
import type { Question, UserAnswer } from '../questions/question.ts';
import type { StepContent, StepMeasures, StoredSearch } from '../records/steps.ts';

/** The longest text of a span, in UTF-8. */
const MAX_TEXT_BYTES = 64 * 1024;
/** A shorter time between the request and the start does not count as waiting. */
const MIN_QUEUE_MS = 50;

/** A stored step with the time at which it was stored. */
export type TracedStep = StepContent & { n: number; createdAt: Date; measures: StepMeasures | null };

/** A question with its times. */
export interface TracedQuestion {
  callId: string;
  question: Question;
  status: 'PENDING' | 'ANSWERED' | 'DISMISSED' | 'EXPIRED';
  answer: UserAnswer | null;
  createdAt: Date;
  endedAt: Date | null;
}

export interface TracedTurn {
  status: TurnStatus;
  model: string;
  error: { code: string; message: string } | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** When its last segment began. */
  segmentAt: Date | null;
  steps: TracedStep[];
  questions: TracedQuestion[];
}

/** Returns what happened in a turn, in the order in which it began. */
export function buildSpans(turn: TracedTurn): TraceSpan[] {
  const stored = storedSpans(turn);
  const open = stored.length > 0 || turn.startedAt !== null ? openSpan(turn, stored) : null;
  return [...queueSpan(turn), ...stored, ...(open ? [open] : [])].sort((a, b) =>
    a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0,
  );
}

/** The time before the turn started. */
function queueSpan({ createdAt, startedAt, finishedAt, status }: TracedTurn): TraceSpan[] {
  const until = startedAt ?? finishedAt;
  const durationMs = until && until.getTime() - createdAt.getTime();
  if (durationMs !== null && durationMs < MIN_QUEUE_MS) return [];
  const ended: SpanStatus = startedAt === null ? 'cancelled' : 'succeeded';
  return [
    {
      id: 'queue',
      kind: 'queue',
      name: '',
      status: status === 'QUEUED' ? 'waiting' : ended,
      startedAt: createdAt.toISOString(),
      durationMs,
    },
  ];
}

function storedSpans(turn: TracedTurn): TraceSpan[] {
  const spans: TraceSpan[] = [];
  const calls = new Map<string, ModelToolCall>();
  const begun = new Map<string, Date>();
  const asked = new Set(turn.questions.flatMap(({ callId, question }) => (question.need ? [] : [callId])));
  let end = turn.startedAt ?? turn.createdAt;
  for (const step of turn.steps) {
    switch (step.kind) {
      case 'user':
        break;
      case 'evidence':
        spans.push(...searchSpans(step, step.content.searches));
        end = step.createdAt;
        break;
      case 'tool-call':
        begun.set(step.content.callId, step.createdAt);
        break;
      case 'tool-pause':
        begun.delete(step.content.callId);
        break;
      case 'tool-answer':
        // Without the time in which it waited.
        end = step.createdAt;
        break;
      case 'model':
      case 'partial': {
        const toolCalls = step.kind === 'model' ? step.content.toolCalls : [];
        for (const call of toolCalls) calls.set(call.id, call);
        spans.push(modelSpan(turn, step, end, toolCalls));
        end = step.createdAt;
        break;
      }
      case 'tool-result': {
        const { callId, text } = step.content;
        if (!asked.has(callId)) spans.push(toolSpan(step, calls.get(callId), text, begun.get(callId) ?? end));
        begun.delete(callId);
        end = step.createdAt;
        break;
      }
    }
  }
  const isOver = turn.status !== 'RUNNING';
  for (const [callId, at] of begun) spans.push(unfinishedCall(callId, calls.get(callId), at, isOver, turn));
  for (const [i, question] of turn.questions.entries()) spans.push(questionSpan(question, i));
  return spans;
}

function searchSpans({ n, createdAt, measures }: TracedStep, searches: StoredSearch[]): TraceSpan[] {
  const begun = createdAt.getTime() - (measures?.durationMs ?? 0);
  return searches.map((search, i) => ({
    id: `step-${n}-${i}`,
    kind: 'search',
    name: search.query,
    status: 'succeeded',
    startedAt: new Date(begun).toISOString(),
    durationMs: search.retrievalMs,
    output: toKnowledgeEvidence(search),
  }));
}

function modelSpan(
  turn: TracedTurn,
  step: Extract<TracedStep, { kind: 'model' | 'partial' }>,
  previousEnd: Date,
  toolCalls: ModelToolCall[],
): TraceSpan {
  const { measures, createdAt, content } = step;
  const durationMs = measures?.durationMs ?? Math.max(0, createdAt.getTime() - previousEnd.getTime());
  const text = bounded(content.text);
  const asks = toolCalls.map(({ name, arguments: args }) => ({ name, arguments: bounded(args).value }));
  const usage = measures?.usage;
  return {
    id: `step-${step.n}`,
    kind: 'model',
    name: turn.model,
    status: step.kind === 'model' ? 'succeeded' : turn.status === 'CANCELLED' ? 'cancelled' : 'failed',
    startedAt: new Date(createdAt.getTime() - durationMs).toISOString(),
    durationMs,
    ...(measures?.firstTokenMs !== undefined && { firstTokenMs: measures.firstTokenMs }),
    ...(usage && {
      token_usage: formatUsage(usage),
      cachedTokens: usage.cachedTokens,
      reasoningTokens: usage.reasoningTokens,
    }),
    output: { text: text.value, ...(asks.length > 0 && { toolCalls: asks }) },
    ...(text.truncated && { truncated: true }),
    ...(step.kind === 'partial' && turn.error && { error: turn.error }),
  };
}

function toolSpan(
  { n, createdAt, measures }: TracedStep,
  call: ModelToolCall | undefined,
  result: string,
  begunAt: Date,
): TraceSpan {
  const durationMs = measures?.durationMs ?? Math.max(0, createdAt.getTime() - begunAt.getTime());
  const input = bounded(call?.arguments ?? '{}');
  const output = bounded(result);
  const outcome = measures?.outcome ?? 'succeeded';
  const error = outcome === 'failed' ? errorIn(result) : null;
  return {
    id: `step-${n}`,
    kind: 'tool',
    name: toolName(measures, call),
    status: outcome,
    startedAt: new Date(createdAt.getTime() - durationMs).toISOString(),
    durationMs,
    input: input.value,
    output: output.value,
    ...((input.truncated || output.truncated) && { truncated: true }),
    ...(error && { error }),
  };
}

/** A call that has begun and has no result: it runs, or it was interrupted. */
function unfinishedCall(
  callId: string,
  call: ModelToolCall | undefined,
  at: Date,
  isOver: boolean,
  { finishedAt }: TracedTurn,
): TraceSpan {
  const durationMs = isOver ? Math.max(0, (finishedAt ?? at).getTime() - at.getTime()) : null;
  return {
    id: `call-${callId}`,
    kind: 'tool',
    name: toolName(null, call),
    status: isOver ? 'cancelled' : 'running',
    startedAt: at.toISOString(),
    durationMs,
    input: bounded(call?.arguments ?? '{}').value,
  };
}

/** A call can need several things, one after the other. */
function questionSpan(
  { callId, question, status, answer, createdAt, endedAt }: TracedQuestion,
  i: number,
): TraceSpan {
  const { need } = question;
  const chosen = answer && {
    selected: question.options
      .filter(({ id }) => answer.selectedOptionIds.includes(id))
      .map(({ label }) => label),
    ...(answer.otherText !== null && { other: answer.otherText }),
    ...(answer.by !== undefined && { by: answer.by }),
    ...(answer.arguments && { edited: answer.arguments }),
  };
  return {
    id: need === undefined ? `question-${callId}` : `question-${callId}-${i}`,
    kind: 'question',
    name: need === undefined ? question.question : need.message,
    status: status === 'PENDING' ? 'waiting' : status === 'ANSWERED' ? 'succeeded' : 'cancelled',
    startedAt: createdAt.toISOString(),
    durationMs: endedAt && endedAt.getTime() - createdAt.getTime(),
    input: { options: question.options.map(({ label }) => label), ...(need && describePurpose(need)) },
    ...(chosen && { output: chosen }),
  };
}

/** The model call that left no step: it runs, or the turn ended before its first text. */
function openSpan(turn: TracedTurn, stored: TraceSpan[]): TraceSpan | null {
  const { status, finishedAt, error } = turn;
  const running = status === 'RUNNING';
  const ended = status === 'FAILED' || status === 'CANCELLED';
  if (!running && !(ended && turn.steps.at(-1)?.kind !== 'partial')) return null;
  // What is open or was given up explains the end already.
  if (
    stored.some((span) => span.durationMs === null || (span.status === 'cancelled' && span.kind !== 'model'))
  )
    return null;
  const ends = [turn.startedAt ?? turn.createdAt, turn.segmentAt ?? turn.createdAt].map((at) => at.getTime());
  for (const span of stored) ends.push(Date.parse(span.startedAt) + (span.durationMs ?? 0));
  const start = Math.max(...ends);
  return {
    id: 'open',
    kind: 'model',
    name: turn.model,
    status: running ? 'running' : status === 'FAILED' ? 'failed' : 'cancelled',
    startedAt: new Date(start).toISOString(),
    durationMs: running ? null : Math.max(0, (finishedAt?.getTime() ?? start) - start),
    ...(ended && error && { error }),
  };
}

function toolName(measures: StepMeasures | null, call: ModelToolCall | undefined): string {
  const tool = measures?.tool;
  if (tool === undefined) return call?.name ?? '';
  return tool.tool === tool.method ? tool.tool : `${tool.tool}.${tool.method}`;
}

/** A text, shortened to what a span may show. */
function bounded(text: string): { value: string; truncated: boolean } {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    return { value: shortened(text, MAX_TEXT_BYTES), truncated: true };
  return { value: text, truncated: false };
}

/** Returns the text that the model received about a failed call. */
function errorIn(result: string): { code: string; message: string } | null {
  try {
    const { error } = JSON.parse(result) as { error?: { code?: unknown; message?: unknown } };
    const { code, message } = error ?? {};
    return typeof code === 'string' && typeof message === 'string' ? { code, message } : null;
  } catch {
    return null;
  }
}
