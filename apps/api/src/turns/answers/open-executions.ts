import type { ToolExecution } from '@platform/contracts';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import { decodeProductEvents } from '../../streams/frame.ts';

/** Ends calls of tools that were told as started and whose turn ends without them. */
export function sayUnfinished(
  writer: StreamWriter,
  executions: Iterable<ToolExecution>,
  status: 'CANCELLED' | 'FAILED',
): void {
  const error =
    status === 'CANCELLED'
      ? { code: 'CANCELLED', message: 'The turn was cancelled before the call was over' }
      : { code: 'INTERRUPTED', message: 'The turn failed before the call was over' };
  for (const execution of executions) {
    writer.writeFrame('tools', { event: 'tool-error', tool_call_id: execution.callId, ...error });
    const durationMs = Math.max(0, Date.now() - Date.parse(execution.startedAt));
    writer.writeEvent('tool.execution', { ...execution, status: 'failed', error, durationMs });
  }
}

/** The calls of tools in a stream, each as it was told last. */
export async function executionsIn(frames: AsyncIterable<Buffer>): Promise<ToolExecution[]> {
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
