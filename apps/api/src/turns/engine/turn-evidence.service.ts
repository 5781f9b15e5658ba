import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { KnowledgeSearchService } from '../../knowledge/search/knowledge-search.service.ts';
import { QuestionRewriterService } from '../../knowledge/meaning/question-rewriter.service.ts';
import { WebSearch } from '../../knowledge/web/web-search.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { toKnowledgeEvidence } from '../answers/knowledge-evidence.ts';
import { evidenceBlock } from '../context/evidence-block.ts';
import type { StoredSearch } from '../records/steps.ts';
import type { ActiveTurn } from './active-turn.ts';
import { fitSearch, queryOf, roomFor, searchesOf, type RequestedSearch } from './evidence.ts';
import { storeStep } from './store-step.ts';

const WEB_RESULTS = 8;
const FAILED: Record<RequestedSearch, string> = {
  knowledge: 'The documents could not be searched',
  web: 'The internet could not be searched',
};
const NO_WEB_SEARCH = 'Web search is not configured here, so the internet was not searched';

/** Searches documents and the web for a turn, before its first model call. */
@Injectable()
export class TurnEvidenceService {
  private readonly logger = new Logger(TurnEvidenceService.name);

  constructor(
    private readonly database: Database,
    private readonly knowledge: KnowledgeSearchService,
    private readonly rewriter: QuestionRewriterService,
    private readonly web: WebSearch,
  ) {}

  /**
   * Stores what is found as a step, and shows it. A rerun shows the stored step and searches nothing. A search that fails
   * becomes a notice: it never ends the turn.
   */
  async provide(turn: ActiveTurn, systemTokens: number, outputTokens: number): Promise<void> {
    if (turn.origin === 'resume') return;
    const stored = turn.steps.find((step) => step.kind === 'evidence');
    const searches =
      stored?.content.searches ?? (await this.searchAndStore(turn, systemTokens, outputTokens));
    for (const search of searches) turn.writer.writeEvent('knowledge.evidence', toKnowledgeEvidence(search));
  }

  private async searchAndStore(
    turn: ActiveTurn,
    systemTokens: number,
    outputTokens: number,
  ): Promise<StoredSearch[]> {
    const requested = searchesOf(turn.settings);
    if (requested.length === 0) return [];
    const query = queryOf(turn.steps);
    const found = await Promise.all(requested.map((kind) => this.search(turn, kind, query)));
    const room = roomFor(turn, systemTokens + outputTokens);
    const share = Math.floor(room / requested.length);
    const searches = await Promise.all(found.map((search) => fitSearch(search, share)));
    const tokens = await countTokens(evidenceBlock(searches));
    const durationMs = Math.max(...searches.map(({ retrievalMs }) => retrievalMs));
    const step = { kind: 'evidence' as const, content: { searches }, tokens, measures: { durationMs } };
    await storeStep(this.database, turn, step);
    return searches;
  }

  private async search(turn: ActiveTurn, kind: RequestedSearch, query: string): Promise<StoredSearch> {
    const begun = performance.now();
    const outcome = await this.find(turn, kind, query).catch((error: unknown) => {
      turn.signal.throwIfAborted();
      this.logger.warn({ err: error, turn: turn.id, kind }, 'A search for a turn failed');
      return { documents: [], notice: FAILED[kind] };
    });
    return { query, ...outcome, retrievalMs: Math.round(performance.now() - begun) };
  }

  private async find(
    { agent, model, payer, settings, signal }: ActiveTurn,
    kind: RequestedSearch,
    query: string,
  ): Promise<Pick<StoredSearch, 'documents' | 'notice' | 'closest' | 'terms'>> {
    if (kind === 'knowledge') {
      const { spaceId, userId, agentId, turnId, causationRunId } = payer;
      const asks = { spaceId, userId, agentId, turnId, causationRunId };
      const rewritten =
        settings.source === 'execute' ? await this.rewriter.rewrite(asks, model, query, signal) : {};
      const { terms, notice } = rewritten;
      const { topK } = agent.knowledge;
      const { passages, notices, isClosest } = await this.knowledge.search(asks, terms ?? query, topK);
      const told = notice === undefined ? notices : [notice, ...notices];
      return {
        ...(terms !== undefined && { terms }),
        documents: passages.map((passage) => ({ ...passage, source: 'knowledge' })),
        ...(isClosest && { closest: true as const }),
        ...(told.length > 0 && { notice: told.join('. ') }),
      };
    }
    if (!this.web.isConfigured) return { documents: [], notice: NO_WEB_SEARCH };
    const results = query === '' ? [] : await this.web.search(query, WEB_RESULTS, signal);
    return {
      documents: results.map(({ url, title, snippet, score }) => ({
        id: url,
        url,
        title,
        score,
        heading: '',
        text: snippet,
        source: 'web',
      })),
    };
  }
}
