import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { GET_RESULT } from '../offers/tool-name.ts';
import type { McpOutcome, McpResult } from '../work/mcp-tool.ts';
import { toRequestedSchema, toText } from '../work/question-schema.ts';
import type { AskedQuestion, Done, Work } from '../work/work.ts';

type Sdk = typeof import('@modelcontextprotocol/server');
type InputRequests = NonNullable<InputRequiredResult['inputRequests']>;

/** How soon a client should look again at work of an age: more often at first. */
const POLLS = [
  { belowMs: 10_000, pollMs: 500 },
  { belowMs: 60_000, pollMs: 1_000 },
];
const LAST_POLL_MS = 5_000;

/** The result of `tools/call`. */
export function toResult(sdk: Sdk, outcome: McpOutcome, canShowForms: boolean): McpResult {
  switch (outcome.kind) {
    case 'done':
      return toCallResult(outcome);
    case 'started':
      return { ...toTask(outcome.work), resultType: 'task', content: [] };
    case 'working': {
      const { handle, note = 'It goes on.' } = outcome;
      const text = `The work has not ended. ${note} Call ${GET_RESULT} with the handle ${handle} to wait for it.`;
      return { content: [{ type: 'text', text }], structuredContent: { status: 'working', handle } };
    }
    case 'asking': {
      const { handle, interactionId, form } = outcome;
      if (canShowForms) {
        const inputRequests = toInputRequests(sdk, [{ id: interactionId, form }]);
        return sdk.inputRequired({ inputRequests, requestState: handle });
      }
      const text = `The person is asked:\n\n${toText(form)}\n\nAsk the person. Then call ${GET_RESULT} with the handle ${handle}, the question ${interactionId}, and the values by field.`;
      const structuredContent = { status: 'asking', handle, question: interactionId };
      return { content: [{ type: 'text', text }], structuredContent };
    }
  }
}

/** The result of `tasks/get`. */
export function toDetailedTask(sdk: Sdk, work: Work): Record<string, unknown> {
  const task = toTask(work);
  const { state } = work;
  switch (state.status) {
    case 'working':
    case 'cancelled':
      return task;
    case 'input_required':
      return { ...task, inputRequests: toInputRequests(sdk, state.questions) };
    case 'completed':
      return { ...task, result: { ...toCallResult(state.outcome), resultType: 'complete' } };
  }
}

function toTask({ handle, createdAt, updatedAt, keptUntil, state }: Work): Record<string, unknown> {
  const { status } = state;
  const note = state.status === 'working' ? state.note : undefined;
  return {
    taskId: handle,
    status,
    ...(note !== undefined && { statusMessage: note }),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: updatedAt.toISOString(),
    ttlMs: keptUntil && keptUntil.getTime() - createdAt.getTime(),
    pollIntervalMs: pollIntervalOf(Date.now() - createdAt.getTime()),
  };
}

function pollIntervalOf(ageMs: number): number {
  return POLLS.find(({ belowMs }) => ageMs < belowMs)?.pollMs ?? LAST_POLL_MS;
}

function toCallResult({ text, structured, isError = false }: Done): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    isError,
    ...(structured && { structuredContent: structured }),
  };
}

function toInputRequests(sdk: Sdk, questions: readonly AskedQuestion[]): InputRequests {
  const requests = questions.map(({ id, form }) => {
    const asked = { message: form.message, requestedSchema: toRequestedSchema(form) };
    return [id, sdk.inputRequired.elicit(asked)] as const;
  });
  return Object.fromEntries(requests);
}
