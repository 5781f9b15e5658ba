import type { ToolExecution } from '@platform/contracts';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import { decodeProductEvents } from '../../streams/frame.ts';

/** Writes the ends of tool calls that readers saw start and that the end of the turn cuts off. */
export function writeUnfinishedCalls(
  writer: StreamWriter,
  executions: Iterable<ToolExecution>,
  status: 'CANCELLED' | 'FAILED',
): void {
  const error =
    status === 'CANCELLED'
      ? { code: 'CANCELLED', message: 'The turn was canceled before the call ended' }
      : { code: 'INTERRUPTED', message: 'The turn failed before the call ended' };
  for (const execution of executions) {
    writer.writeFrame('tools', { event: 'tool-error', tool_call_id: execution.callId, ...error });
    const durationMs = Math.max(0, Date.now() - Date.parse(execution.startedAt));
    writer.writeEvent('tool.execution', { ...execution, status: 'failed', error, durationMs });
  }
}

/** Returns the tool calls in a stream, each in its last reported state. */
export async function collectExecutions(frames: AsyncIterable<Buffer>): Promise<ToolExecution[]> {
  const executions = new Map<string, ToolExecution>();
  for await (const bytes of frames) {
    for (const event of decodeProductEvents(bytes)) {
      if (event.event !== 'tool.execution') continue;
      const { event: _, ...execution } = event;
      executions.set(execution.callId, execution);
    }
  }
  return [...executions.values()];
}
