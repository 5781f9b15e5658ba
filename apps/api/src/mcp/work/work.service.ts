import { Injectable } from '@nestjs/common';
import { hasScope } from '../../auth/principals/principal.ts';
import { forbidden } from '../../infra/errors/app-error.ts';
import { AgentWorkService } from './agent-work.service.ts';
import { parseHandle, type Handle } from './handle.ts';
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
    const handle = handleOf(text, call);
    return handle.kind === 'run' ? this.runs.resume(handle, call) : this.turns.resume(handle, call);
  }

  async cancel(text: unknown, call: McpCall): Promise<Done> {
    const handle = handleOf(text, call);
    return handle.kind === 'run' ? this.runs.cancel(handle, call) : this.turns.cancel(handle, call);
  }

  /** What has become of work so far. */
  async describe(text: unknown, call: McpCall): Promise<Work> {
    const handle = handleOf(text, call);
    return handle.kind === 'run' ? this.runs.describe(handle, call) : this.turns.describe(handle, call);
  }

  /** Answers questions of work, each once, however often it is sent. */
  async answer(text: unknown, call: McpCall, replies: readonly Reply[]): Promise<void> {
    const handle = handleOf(text, call);
    if (handle.kind === 'run') await this.runs.answer(handle, call, replies);
    else await this.turns.answer(handle, call, replies);
  }
}

/** Throws FORBIDDEN for work that the scopes of the caller do not reach: a handle is no secret. */
function handleOf(text: unknown, { call: { by } }: McpCall): Handle {
  const handle = parseHandle(text);
  if (handle.kind === 'run' ? hasScope(by, 'use', 'manage') : hasScope(by, 'invoke')) return handle;
  throw forbidden(`This credential lacks the scope ${handle.kind === 'run' ? 'use' : 'invoke'}`);
}
