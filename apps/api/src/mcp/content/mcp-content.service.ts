import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { McpProtocol } from '../work/mcp-tool.ts';
import { McpDocumentsService } from './mcp-documents.service.ts';
import { McpPromptsService } from './mcp-prompts.service.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

/** What clients read: resources and prompts. */
@Injectable()
export class McpContentService {
  constructor(
    private readonly documents: McpDocumentsService,
    private readonly prompts: McpPromptsService,
  ) {}

  /** `guard` makes errors of the protocol of those that the work throws. */
  serve(
    sdk: Sdk,
    server: McpProtocol,
    caller: UserPrincipal,
    guard: <T>(work: () => Promise<T>) => Promise<T>,
  ): void {
    server.setRequestHandler('resources/list', ({ params }) =>
      guard(() => this.documents.list(caller, params?.cursor)),
    );
    server.setRequestHandler('resources/templates/list', () =>
      guard(() => this.documents.listTemplates(caller)),
    );
    server.setRequestHandler('resources/read', ({ params: { uri } }) =>
      guard(async () => {
        const found = await this.documents.read(caller, uri);
        if (found === null) throw new sdk.ResourceNotFoundError(uri);
        return found;
      }),
    );
    server.setRequestHandler('prompts/list', () => guard(() => this.prompts.list(caller)));
    server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) =>
      guard(async () => {
        const found = await this.prompts.get(caller, name, given);
        if (found !== null) return found;
        throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
      }),
    );
  }
}
