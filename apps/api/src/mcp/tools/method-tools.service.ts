import { Injectable } from '@nestjs/common';
import type { AgentTool } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { ToolDirectoryService, type OfferedMethod } from '../../tools/definition/tool-directory.service.ts';
import { nameMethods, withoutPorts } from '../../turns/engine/tool-names.ts';
import type { CalledTool, McpCall, McpOutcome, McpTool } from '../work/mcp-tool.ts';

/** Methods of tools as tools, under the names that models know them by. */
@Injectable()
export class MethodToolsService {
  constructor(
    private readonly database: Database,
    private readonly directory: ToolDirectoryService,
  ) {}

  /** The enabled methods of the offered tools, as many as clients can be offered. */
  async list({ spaceId }: UserPrincipal, tools: AgentTool[]): Promise<McpTool[]> {
    const methods = await this.directory.listFirstOffered(this.database, spaceId, tools);
    // What does not fit is named as well: names depend on those of all others.
    const names = nameMethods(methods);
    return methods.flatMap((method, i) =>
      method.fits ? [this.toTool(names[i] ?? method.name, method)] : [],
    );
  }

  /** The enabled method of the offered tools that has this name, also one that no list has room for. Reads no schemas. */
  async find({ spaceId }: UserPrincipal, tools: AgentTool[], name: string): Promise<CalledTool | null> {
    const methods = await this.directory.listOfferedNames(spaceId, tools);
    const method = methods[nameMethods(methods).indexOf(name)];
    if (method === undefined) return null;
    return { run: (input, call) => this.invoke(method.toolId, method.name, input, call) };
  }

  private toTool(name: string, method: OfferedMethod): McpTool {
    const { toolId, toolName, description, inputSchema, acts } = method;
    return {
      listed: {
        name,
        title: `${toolName}: ${method.name}`,
        description: description || `Calls the method ${method.name} of ${toolName}.`,
        inputSchema: { ...withoutPorts(inputSchema), type: 'object' },
        annotations: { readOnlyHint: !acts, openWorldHint: true },
      },
      run: (input, call) => this.invoke(toolId, method.name, input, call),
    };
  }

  private async invoke(
    toolId: string,
    method: string,
    input: Record<string, unknown>,
    { call, idempotencyKey, left }: McpCall,
  ): Promise<McpOutcome> {
    const { by } = call;
    const { status, output, warnings } = await this.directory.invoke(by, toolId, method, input, {
      signal: left,
      direct: { call, door: 'mcp' },
      ...(idempotencyKey !== null && { effectKey: `mcp:${by.userId}:${idempotencyKey}` }),
    });
    const isError = status >= 400;
    const result = isError ? { status, output } : (output ?? null);
    const notes =
      warnings.length === 0 ? '' : `\n\nWarnings:\n${warnings.map((text) => `- ${text}`).join('\n')}`;
    return {
      kind: 'done',
      text: `${typeof result === 'string' ? result : JSON.stringify(result)}${notes}`,
      isError,
      ...(isObject(result) && { structured: result }),
    };
  }
}
