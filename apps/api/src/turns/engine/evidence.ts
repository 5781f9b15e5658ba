import { countTokens } from '../../models/port/tokens.ts';
import type { Step, StoredDocument, StoredSearch } from '../records/steps.ts';
import type { TurnSettings } from '../records/turn.ts';
import type { ActiveTurn } from './active-turn.ts';

export type RequestedSearch = 'knowledge' | 'web';

const MAX_QUERY_CHARS = 1_000;
/** How much of the context window evidence can take. */
const WINDOW_SHARE = 0.25;
/** UTF-8, of one search. */
const MAX_BYTES = 64 * 1024;
/** The tokens of the block around its documents. */
const BLOCK_TOKENS = 100;
const DOCUMENT_TOKENS = 20;
/** The tokens of a text are not spread evenly. */
const CUT_MARGIN = 0.8;
const MIN_CUT_CHARS = 100;
const NO_ROOM = 'The text that was found does not fit into the context of the model';

/** What a turn asks to be searched before the model is called. */
export function searchesOf({ knowledge, internet, disableWebSearch }: TurnSettings): RequestedSearch[] {
  return [
    ...(knowledge ? (['knowledge'] as const) : []),
    ...(internet && !disableWebSearch ? (['web'] as const) : []),
  ];
}

/** The beginning of what the user wrote. */
export function queryOf(steps: readonly Step[]): string {
  for (const step of steps) {
    if (step.kind !== 'user') continue;
    for (const part of step.content.parts)
      if (part.type === 'text') return part.text.slice(0, MAX_QUERY_CHARS).toWellFormed();
  }
  return '';
}

/** How many tokens evidence can have, so that the message of the user still fits. Earlier messages can be summarized. */
export function roomFor({ model, steps }: Pick<ActiveTurn, 'model' | 'steps'>, otherTokens: number): number {
  const own = steps.reduce((sum, { tokens }) => sum + tokens, 0);
  const left = model.contextWindow - otherTokens - own;
  return Math.max(0, Math.min(left, model.contextWindow * WINDOW_SHARE) - BLOCK_TOKENS);
}

/** Leaves out the documents that do not fit, worst first. The best one is cut if even that does not fit. */
export async function fitSearch(search: StoredSearch, maxTokens: number): Promise<StoredSearch> {
  const documents: StoredDocument[] = [];
  let [tokens, bytes] = [0, 0];
  for (const document of search.documents) {
    const shown = shownOf(document);
    const own = (await countTokens(shown)) + DOCUMENT_TOKENS;
    const isFull = tokens + own > maxTokens || bytes + Buffer.byteLength(shown) > MAX_BYTES;
    if (isFull && documents.length > 0) break;
    const kept = isFull ? cutDocument(document, maxTokens / own) : document;
    if (kept !== null) documents.push(kept);
    if (isFull) break;
    tokens += own;
    bytes += Buffer.byteLength(shown);
  }
  const isLost = documents.length === 0 && search.documents.length > 0;
  return { ...search, documents, ...(isLost && { notice: NO_ROOM }) };
}

/** The beginning of a document, about so much of its tokens; null if it would say nothing. */
function cutDocument(document: StoredDocument, share: number): StoredDocument | null {
  const head = shownOf({ ...document, text: '' }).length + 4 * DOCUMENT_TOKENS;
  const chars = Math.floor(Math.min(1, CUT_MARGIN * share) * (head + document.text.length)) - head;
  if (chars < MIN_CUT_CHARS) return null;
  return { ...document, text: `${document.text.slice(0, chars).toWellFormed()}…` };
}

function shownOf({ title, heading, text, url = '' }: StoredDocument): string {
  return `${title} ${heading} ${url}\n${text}`;
}
