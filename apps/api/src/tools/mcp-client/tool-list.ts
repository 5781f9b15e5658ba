import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { AppError } from '../../infra/errors/app-error.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import type { McpSession } from './mcp-connector.service.ts';
import { readServerTool, type ServerTool } from './server-tool.ts';

const MAX_TOOLS = 10_000;
/** Of all pages, also those that are no tools or repeat others: reading each takes time. */
const MAX_ENTRIES = 20_000;
const MAX_PAGES = 500;
const MAX_REPORTED = 100;
const MAX_CURSOR = 65_536;

/** The limits of reading all tools of a server. */
export const LIST_LIMITS = { timeoutMs: 30_000, maxBytes: 20 * 1024 * 1024 };

export interface ToolList {
  /** By the names that the server gives them. */
  tools: Map<string, ServerTool>;
  /** Whether these are all tools of the server. */
  isComplete: boolean;
  /** What was left out, and why. */
  report: string[];
}

/** Reads the tools that a server offers, as far as the limits allow. Nothing that one tool is fails the others. */
export async function listServerTools(session: McpSession, signal?: AbortSignal): Promise<ToolList> {
  const { client, exchange } = session;
  const list: ToolList = { tools: new Map(), isComplete: false, report: [] };
  const problems: string[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let entries = 0;
  for (let page = 1; ; page++) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
    const options = { timeout: exchange.remainingMs, ...(signal && { signal }) };
    const { tools, nextCursor } = await client.request(request, ANY_RESULT, options);
    if (!Array.isArray(tools))
      throw new AppError('TOOL_ERROR', 'The server of the tool sent no list of tools');
    for (const tool of (tools as unknown[]).slice(0, MAX_ENTRIES - entries))
      add(list, readServerTool(tool), problems);
    entries += tools.length;
    if (entries > MAX_ENTRIES) {
      list.report.push(TOO_MANY);
      break;
    }
    if (typeof nextCursor !== 'string') {
      list.isComplete = nextCursor === undefined || nextCursor === null;
      break;
    }
    const stop =
      cursors.has(nextCursor) || nextCursor.length > MAX_CURSOR
        ? 'The pages of the list do not end, so the rest was not read'
        : page === MAX_PAGES
          ? `The list has more than ${MAX_PAGES} pages, so the rest was not read`
          : list.tools.size >= MAX_TOOLS
            ? TOO_MANY
            : null;
    if (stop !== null) {
      list.report.push(stop);
      break;
    }
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  list.report.push(...problems.slice(0, MAX_REPORTED), ...exchange.messages.warnings);
  if (problems.length > MAX_REPORTED)
    list.report.push(`${problems.length - MAX_REPORTED} more were left out`);
  return list;
}

function add({ tools }: ToolList, tool: ServerTool | string, problems: string[]): void {
  if (typeof tool === 'string') problems.push(tool);
  else if (tools.has(tool.name)) problems.push(`${tool.name} is offered twice: the first one is used`);
  else if (tools.size < MAX_TOOLS) tools.set(tool.name, tool);
  else if (problems.at(-1) !== TOO_MANY) problems.push(TOO_MANY);
}

const TOO_MANY = `The server offers more than ${MAX_TOOLS} tools, so the rest was not read`;

/** The result as it is: the schemas of the protocol would refuse the whole list for one tool. */
const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'platform',
    validate: (value) => ({ value: isObject(value) ? value : {} }),
  },
};
