import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Question, Run, RunStatus } from '@platform/contracts';
import { notFound } from '../../infra/errors/app-error.ts';
import { RunsService } from '../../tasks/history/runs.service.ts';
import { InboxService } from '../../tasks/inbox/inbox.service.ts';
import { formatHandle, type Handle } from './handle.ts';
import { unlessLate } from './late-answer.ts';
import type { McpCall, McpOutcome, Reply } from './mcp-tool.ts';
import { formOf, readForm } from './run-question.ts';
import type { AskedQuestion, Done, Work, WorkState } from './work.ts';

export type RunHandle = Extract<Handle, { kind: 'run' }>;

const UNFINISHED: readonly RunStatus[] = ['QUEUED', 'RUNNING', 'WAITING'];
/** How often a run is looked at: more often at first. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** The others follow when these are answered. */
const MAX_QUESTIONS = 20;
const ASKS_OTHERS = 'It waits for an answer in the inbox of the space.';

/** Runs that calls have started: they go on if their client leaves. */
@Injectable()
export class RunWorkService {
  constructor(
    private readonly runs: RunsService,
    private readonly inbox: InboxService,
  ) {}

  /** Answers a question of a run if there is a reply, and waits for what comes next. */
  async resume(handle: RunHandle, call: McpCall): Promise<McpOutcome> {
    const { by } = call.call;
    const { reply } = call;
    const run = await this.runs.get(by, handle.runId);
    if (reply === null) return this.wait(run, call);
    await this.reply(call, run, reply);
    const current = await this.runs.get(by, run.id);
    const isAskedStill = current.questions.some(({ id }) => id === reply.interactionId);
    // The client would ask the person the same again, and again.
    if (reply.values === null && isAskedStill)
      return { kind: 'working', handle: formatHandle(handle), note: ASKS_OTHERS };
    return this.wait(current, call);
  }

  async cancel({ runId }: RunHandle, { call }: McpCall): Promise<Done> {
    const { status, cancelRequested } = await this.runs.cancel(call, runId);
    const isStopping = UNFINISHED.includes(status) && cancelRequested;
    return { kind: 'done', text: isStopping ? 'The run is being canceled.' : `The run is ${status}.` };
  }

  /** Answers questions of a run. Ignores what comes too late, or answers no question of it. */
  async answer({ runId }: RunHandle, call: McpCall, replies: readonly Reply[]): Promise<void> {
    const run = await this.runs.get(call.call.by, runId);
    for (const reply of replies) await unlessLate(this.reply(call, run, reply));
  }

  async describe(handle: RunHandle, call: McpCall): Promise<Work> {
    const run = await this.runs.get(call.call.by, handle.runId);
    const { createdAt, startedAt, finishedAt } = run;
    return {
      handle: formatHandle(handle),
      createdAt: new Date(createdAt),
      updatedAt: new Date(finishedAt ?? startedAt ?? createdAt),
      keptUntil: null,
      state: await this.stateOf(run, call),
    };
  }

  /** Waits for the end of a run, or for its question to the caller. */
  async wait(first: Run, call: McpCall): Promise<McpOutcome> {
    const { waiting } = call;
    const handle = formatHandle({ kind: 'run', runId: first.id });
    let run = first;
    for (let pause = MIN_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      const state = await this.stateOf(run, call);
      if (state.status === 'completed') return state.outcome;
      if (state.status === 'cancelled') return toOutcome(run);
      if (state.status === 'input_required')
        for (const { id: interactionId, form } of state.questions.slice(0, 1))
          return { kind: 'asking', handle, interactionId, form };
      if (state.status === 'working' && state.note !== undefined)
        return { kind: 'working', handle, note: state.note };
      await delay(pause, undefined, { signal: waiting }).catch(() => undefined);
      if (waiting.aborted) return { kind: 'working', handle };
      run = await this.runs.get(call.call.by, run.id);
    }
  }

  private async stateOf(run: Run, call: McpCall): Promise<WorkState> {
    if (run.status === 'CANCELLED') return { status: 'cancelled' };
    if (!UNFINISHED.includes(run.status)) return { status: 'completed', outcome: toOutcome(run) };
    if (run.questions.length === 0) return { status: 'working' };
    const questions = await this.listAsked(run, call);
    return questions.length === 0
      ? { status: 'working', note: ASKS_OTHERS }
      : { status: 'input_required', questions };
  }

  /** The questions of a run that the caller may answer. */
  private async listAsked(run: Run, { call: { by } }: McpCall): Promise<AskedQuestion[]> {
    const asked: AskedQuestion[] = [];
    for (const { id } of run.questions.slice(0, MAX_QUESTIONS)) {
      const question = await this.inbox.get(by, id);
      if (question.addressed && question.status === 'OPEN') asked.push({ id, form: formOf(question) });
    }
    return asked;
  }

  /** A question that the person declines stays in the inbox. */
  private async reply(
    { call }: McpCall,
    { id: runId }: Run,
    { interactionId, values }: Reply,
  ): Promise<void> {
    const question = await this.inbox.get(call.by, interactionId);
    if (question.runId !== runId) throw notFound(`The run has no question ${interactionId}`);
    if (values === null || hasAnswer(question, call.by.userId, values)) return;
    await this.inbox.answer(call, interactionId, readForm(question, values));
  }
}

/** Whether the person has given the same answer before. */
function hasAnswer(question: Question, userId: string, values: Record<string, unknown>): boolean {
  if (question.status !== 'ANSWERED' || question.answeredBy?.id !== userId) return false;
  const { values: given, approved, note } = question;
  const answer = readForm(question, values);
  return isDeepStrictEqual(
    { values: given ?? {}, approved, note },
    { values: answer.values ?? {}, approved: answer.approved ?? null, note: answer.note ?? null },
  );
}

function toOutcome({ id, status, steps, error }: Run): Done {
  const last = steps.findLast(({ scope, id: step }) => scope === step);
  // The run went on after the error of a last step that failed.
  const output = last?.status === 'FAILED' ? { error: last.error } : (last?.output ?? null);
  const handle = formatHandle({ kind: 'run', runId: id });
  return {
    kind: 'done',
    text:
      status === 'SUCCEEDED'
        ? textOf(output)
        : `The run is ${status}: ${error?.message ?? 'no reason is known'}`,
    isError: status !== 'SUCCEEDED',
    structured: { status, handle, ...(status === 'SUCCEEDED' && { output }) },
  };
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
