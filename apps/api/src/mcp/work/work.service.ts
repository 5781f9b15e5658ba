import { Injectable } from '@nestjs/common';
import { AgentWorkService } from './agent-work.service.ts';
import { parseHandle } from './handle.ts';
import type { McpCall, McpOutcome, Reply } from './mcp-tool.ts';
import { RunWorkService } from './run-work.service.ts';
import type { Done, Work } from './work.ts';

/** The work of calls by its handle, in any process. */
@Injectable()
export class WorkService {
  constructor(
    private readonly turns: AgentWorkService,
    private readonly runs: RunWorkService,
  ) {}

  /** Waits for work, after the reply to its question. */
  async resume(text: unknown, call: McpCall): Promise<McpOutcome> {
    const handle = parseHandle(text);
    return handle.kind === 'run' ? this.runs.resume(handle, call) : this.turns.resume(handle, call);
  }

  async cancel(text: unknown, call: McpCall): Promise<Done> {
    const handle = parseHandle(text);
    return handle.kind === 'run' ? this.runs.cancel(handle, call) : this.turns.cancel(handle, call);
  }

  /** What has become of work so far. */
  async describe(text: unknown, call: McpCall): Promise<Work> {
    const handle = parseHandle(text);
    return handle.kind === 'run' ? this.runs.describe(handle, call) : this.turns.describe(handle, call);
  }

  /** Answers questions of work, each once, however often it is sent. */
  async answer(text: unknown, call: McpCall, replies: readonly Reply[]): Promise<void> {
    const handle = parseHandle(text);
    if (handle.kind === 'run') await this.runs.answer(handle, call, replies);
    else await this.turns.answer(handle, call, replies);
  }
}
