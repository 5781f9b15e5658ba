import type { KnowledgeEvidence } from '@platform/contracts';
import { shortened } from '../../infra/errors/error-message.ts';
import type { StoredSearch } from '../records/steps.ts';

/** The size of all snippets of a frame together, in UTF-8. */
const SNIPPETS_BYTES = 16_000;
const SNIPPET_BYTES = 1_600;

/** Returns a search in the form that readers of the turn receive. */
export function toKnowledgeEvidence({
  query,
  terms,
  documents,
  retrievalMs,
  notice,
  closest,
}: StoredSearch): KnowledgeEvidence {
  const room = Math.min(SNIPPET_BYTES, Math.floor(SNIPPETS_BYTES / Math.max(1, documents.length)));
  return {
    query,
    ...(terms !== undefined && { terms }),
    documents: documents.map(({ id, title, text, score, source, url }) => ({
      id,
      title,
      snippet: shortened(text, room),
      score,
      source,
      ...(url !== undefined && { url }),
    })),
    retrievalMs,
    ...(notice !== undefined && { notice }),
    ...(closest === true && { closest }),
  };
}
