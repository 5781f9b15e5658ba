import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Page } from '@platform/contracts';
import { invalid } from '../errors/app-error.ts';
import { isUuid } from './ids.ts';

/** The position after which a page continues: the sort key of its last item. */
export type Position = (string | number)[];

const TAG_BYTES = 16;

/**
 * Cuts lists into pages. A cursor is authenticated together with the filter of its list, so that a position reaches
 * SQL only if it was issued here, for this list: services use its parts without checking them again.
 */
export class Cursors {
  constructor(private readonly key: Buffer) {}

  /** Cuts a page from `limit + 1` fetched rows. */
  page<Row, Item>(
    fetched: Row[],
    limit: number,
    filter: unknown,
    positionOf: (row: Row) => Position,
    toItem: (row: Row) => Item,
  ): Page<Item> {
    const kept = fetched.slice(0, limit);
    const last = kept.at(-1);
    const nextCursor =
      fetched.length > limit && last !== undefined ? this.encode(positionOf(last), filter) : null;
    return { items: kept.map(toItem), nextCursor };
  }

  encode(position: Position, filter: unknown): string {
    const text = JSON.stringify(position);
    return Buffer.concat([this.tag(text, filter), Buffer.from(text)]).toString('base64url');
  }

  /** The position of a cursor; null if none was given; throws VALIDATION_ERROR unless it was issued for the filter. */
  decode(cursor: string | undefined, filter: unknown): Position | null {
    if (cursor === undefined) return null;
    const position = this.find(cursor, filter);
    if (position === null) throw invalidCursor();
    return position;
  }

  /** Like `decode`, but null for a cursor that was not issued for the filter. */
  find(cursor: string | undefined, filter: unknown): Position | null {
    if (cursor === undefined) return null;
    const bytes = Buffer.from(cursor, 'base64url');
    const text = bytes.subarray(TAG_BYTES).toString();
    const tag = bytes.subarray(0, TAG_BYTES);
    if (tag.length < TAG_BYTES || !timingSafeEqual(tag, this.tag(text, filter))) return null;
    return JSON.parse(text) as Position;
  }

  /** The id after which a list that is sorted by id continues; null on the first page. */
  idAfter(cursor: string | undefined, filter: unknown): string | null {
    const [id = null] = this.decode(cursor, filter) ?? [];
    if (id !== null && !isUuid(id)) throw invalidCursor();
    return id;
  }

  private tag(text: string, filter: unknown): Buffer {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([filter, text]))
      .digest()
      .subarray(0, TAG_BYTES);
  }
}

/** Returns the first rows that take at most `maxBytes` together, and at least one. */
export function withinBytes<Row extends { bytes: number }>(found: readonly Row[], maxBytes: number): Row[] {
  let bytes = 0;
  const over = found.findIndex((one, i) => (bytes += one.bytes) > maxBytes && i > 0);
  return found.slice(0, over === -1 ? found.length : over);
}

const invalidCursor = () => invalid('cursor must be the nextCursor of a page with the same filter and order');
