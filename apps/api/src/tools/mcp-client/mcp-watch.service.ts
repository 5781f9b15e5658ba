import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import type { ServerTool } from './server-tool.ts';
import * as store from './mcp-methods.store.ts';
import type { ToolList } from './tool-list.ts';

const EVERY_SECONDS = 300;

/** Notices when a server changes what an admin has approved: nobody has agreed to the new description or schema. */
@Injectable()
export class McpWatchService {
  private readonly logger = new Logger(McpWatchService.name);

  constructor(private readonly database: Database) {}

  /**
   * Asks the server now and then, and returns whether it has. A server that does not answer stops no call: what models read
   * is what was approved.
   */
  async check(
    tool: ToolKey & { checkedAt: Date | null },
    list: () => Promise<ToolList>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    // The database decides by its own clock, from which that of the process can differ either way.
    const isFresh =
      tool.checkedAt !== null && Math.abs(Date.now() - tool.checkedAt.getTime()) < EVERY_SECONDS * 1_000;
    if (isFresh || !(await store.claimCheck(this.database, tool, EVERY_SECONDS))) return false;
    try {
      await this.note(this.database, tool, (await list()).tools);
      return true;
    } catch (error) {
      signal?.throwIfAborted();
      this.logger.debug({ err: error, toolId: tool.id }, 'The tools of an MCP server could not be compared');
      return false;
    }
  }

  /** Stores which methods the server has changed, and which it has changed back. */
  async note(sql: Sql, tool: ToolKey, offered: ReadonlyMap<string, ServerTool>): Promise<void> {
    for (const method of await store.listApproved(sql, tool)) {
      const now = offered.get(method.operationKey);
      // A tool that is not offered can be one that this caller may not see; the server refuses its calls.
      if (now === undefined || method.approved === null || now.hash === method.pending) continue;
      const isChanged = now.hash !== method.approved;
      if (isChanged || method.pending !== null)
        await store.setPending(sql, tool, method, isChanged ? toPending(now) : null);
    }
  }

  /** The server has said that its tools have changed: the next call asks. */
  async expectChanges(tool: ToolKey): Promise<void> {
    await store.requireCheck(this.database, tool);
  }

  /** Throws CONFLICT if the method waits for approval. */
  async assertApproved(tool: ToolKey, methodId: string): Promise<void> {
    const method = await store.findPending(this.database, tool, methodId);
    if (method !== null) throw waitsForApproval(method.name);
  }
}

interface ToolKey {
  spaceId: string;
  id: string;
}

export const waitsForApproval = (method: string) =>
  conflict(
    `The method ${method} is not used: its server has changed its description or schema, and an admin has to approve the change`,
  );

function toPending({ hash, definition }: ServerTool): store.PendingDefinition {
  const { description, inputSchema, outputSchema, acts } = definition;
  return { hash, noticedAt: new Date().toISOString(), description, inputSchema, outputSchema, acts };
}
