import { Injectable } from '@nestjs/common';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { hasScope, type UserPrincipal } from '../../auth/principals/principal.ts';
import { invalid, notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { KnowledgeDocumentsService } from '../../knowledge/documents/knowledge-documents.service.ts';
import { KnowledgeSearchService } from '../../knowledge/search/knowledge-search.service.ts';
import { McpOffersService } from '../offers/mcp-offers.service.ts';
import { SEARCH_DOCUMENTS } from '../offers/tool-name.ts';
import type { McpTool } from '../work/mcp-tool.ts';

const PAGE = 100;
const PREFIX = 'knowledge://documents/';
/** A document, or what follows its passage `after`. */
const URI = /^knowledge:\/\/documents\/([0-9a-fA-F-]{36})(?:\?after=(\d{1,9}))?$/;
const MAX_URI = 256;
const MAX_QUERY = 2_000;
const DEFAULT_FOUND = 5;
const MAX_FOUND = 20;

/** The documents of a space as resources, which are read in parts, and the search in them as a tool. */
@Injectable()
export class McpDocumentsService {
  constructor(
    private readonly offers: McpOffersService,
    private readonly documents: KnowledgeDocumentsService,
    private readonly knowledge: KnowledgeSearchService,
  ) {}

  /** Documents whose text has been read, newest first. A page can have fewer than the next one, or none. */
  async list(caller: UserPrincipal, cursor: string | undefined): Promise<ListResourcesResult> {
    if (!(await this.mayRead(caller))) return { resources: [] };
    const { items, nextCursor } = await this.documents.list(caller.spaceId, {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    const resources = items
      .filter(({ status }) => status === 'READY')
      .map(({ id, title, fileName, url, updatedAt }) => ({
        uri: `${PREFIX}${id}`,
        name: title,
        title,
        mimeType: 'text/plain',
        ...((fileName ?? url) && { description: `From ${fileName ?? url}` }),
        annotations: { lastModified: updatedAt },
      }));
    return { resources, ...(nextCursor !== null && { nextCursor }) };
  }

  async listTemplates(caller: UserPrincipal): Promise<ListResourceTemplatesResult> {
    if (!(await this.mayRead(caller))) return { resourceTemplates: [] };
    const template = {
      uriTemplate: `${PREFIX}{id}{?after}`,
      name: 'document',
      title: 'Document',
      description: 'The text of a document of the space; with `after`, what follows that passage.',
      mimeType: 'text/plain',
    };
    return { resourceTemplates: [template] };
  }

  /** One part of a document. Its end names the next one. Null: there is none with this address. */
  async read(caller: UserPrincipal, uri: string): Promise<ReadResourceResult | null> {
    const [, id, after = '0'] = (uri.length <= MAX_URI && URI.exec(uri)) || [];
    if (id === undefined || !isUuid(id) || !(await this.mayRead(caller))) return null;
    const { text, next } = await this.documents.readPart(caller.spaceId, id, Number(after));
    const nextUri = next === null ? null : `${PREFIX}${id}?after=${next}`;
    const note = nextUri === null ? '' : `\n\n[The document goes on: ${nextUri}]`;
    const content = { uri, mimeType: 'text/plain', text: `${text}${note}` };
    return { contents: [{ ...content, ...(nextUri !== null && { _meta: { nextUri } }) }] };
  }

  /** The tool that searches. */
  tool(): McpTool {
    return {
      listed: {
        name: SEARCH_DOCUMENTS,
        title: 'Search documents',
        description: 'Finds passages of the documents of the space.',
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'string', minLength: 1, maxLength: MAX_QUERY },
            limit: { type: 'integer', minimum: 1, maximum: MAX_FOUND, default: DEFAULT_FOUND },
          },
          required: ['query'],
        },
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      run: async ({ query, limit = DEFAULT_FOUND }, { call: { by } }) => {
        if (typeof query !== 'string' || query.trim() === '' || query.length > MAX_QUERY)
          throw invalid(`query must be a text of 1 to ${MAX_QUERY} characters`);
        if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_FOUND)
          throw invalid(`limit must be an integer from 1 to ${MAX_FOUND}`);
        if (!(await this.mayRead(by))) throw notFound('The space offers no documents');
        const { documents, notices } = await this.knowledge.answer(by, query, limit);
        const passages = documents.map(({ id, title, snippet, score }) => ({
          uri: `${PREFIX}${id}`,
          title,
          text: snippet,
          score,
        }));
        const texts = passages.map(({ uri, title, text }) => `${title} (${uri})\n${text}`);
        return {
          kind: 'done',
          text: texts.length === 0 ? 'Nothing was found.' : texts.join('\n\n'),
          structured: { passages, notices },
        };
      },
    };
  }

  private async mayRead(caller: UserPrincipal): Promise<boolean> {
    return hasScope(caller, 'use') && (await this.offers.load(caller.spaceId)).knowledge;
  }
}
