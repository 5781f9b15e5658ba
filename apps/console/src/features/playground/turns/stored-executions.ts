import type { KnowledgeEvidence, ToolExecution, TraceSpan } from '@platform/contracts';

/** What an earlier turn did besides answering. */
export interface Executions {
  evidence: KnowledgeEvidence[];
  tools: ShownToolExecution[];
}

/** A tool call as it is shown. A trace does not tell the id of the tool. */
export type ShownToolExecution = Omit<ToolExecution, 'toolId'>;

/** Returns the searches and tool calls in the trace of a turn. */
export function toExecutions(spans: readonly TraceSpan[]): Executions {
  return {
    evidence: spans.flatMap(({ kind, output }) => (kind === 'search' ? [output as KnowledgeEvidence] : [])),
    tools: spans.filter(({ kind }) => kind === 'tool').map(toToolExecution),
  };
}

function toToolExecution({ id, name, status, input, output, error, ...span }: TraceSpan): ShownToolExecution {
  // The name of a method has no dot, but that of a tool can have one.
  const dot = name.lastIndexOf('.');
  return {
    callId: id,
    tool: dot < 0 ? name : name.slice(0, dot),
    method: dot < 0 ? name : name.slice(dot + 1),
    status: status === 'failed' || status === 'denied' || status === 'succeeded' ? status : 'started',
    arguments: toObject(input),
    ...(error === undefined && output !== undefined && { result: parse(output) }),
    ...(error && { error }),
    startedAt: span.startedAt,
    ...(span.durationMs !== null && { durationMs: span.durationMs }),
    ...(span.truncated && { truncated: true }),
    metadata: { kind: '' },
  };
}

function toObject(input: unknown): Record<string, unknown> {
  const value = parse(input);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The service stores arguments and results as the texts that the model wrote and read. */
function parse(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
