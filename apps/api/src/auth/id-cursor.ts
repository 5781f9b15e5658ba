import { invalid } from '../infra/http/app-error.ts';
import { isUuid } from '../infra/http/ids.ts';
import { decodeCursor } from '../infra/http/page.ts';

/** The id after which a list sorted by id goes on; null on the first page, 400 for a foreign cursor. */
export function idAfter(cursor: string | undefined, filter: unknown): string | null {
  const [id = null] = decodeCursor(cursor, filter) ?? [];
  if (id !== null && !isUuid(id))
    throw invalid('cursor must be the nextCursor of a page under the same filter');
  return id;
}
