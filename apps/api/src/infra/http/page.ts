import { createHash } from 'node:crypto';
import type { Page } from '@platform/contracts';
import { invalid } from './app-error.ts';

/** The position after which a page goes on: the sort key of its last item. */
export type Position = (string | number)[];

/**
 * Cuts a page from `limit + 1` fetched rows. The cursor is bound to the filter, so that it cannot be used under
 * another one.
 */
export function page<Row, Item>(
  fetched: Row[],
  limit: number,
  filter: unknown,
  positionOf: (row: Row) => Position,
  toItem: (row: Row) => Item,
): Page<Item> {
  const kept = fetched.slice(0, limit);
  const last = kept.at(-1);
  const nextCursor =
    fetched.length > limit && last !== undefined ? encodeCursor(positionOf(last), filter) : null;
  return { items: kept.map(toItem), nextCursor };
}

export function encodeCursor(position: Position, filter: unknown): string {
  return Buffer.from(JSON.stringify([fingerprint(filter, position), ...position])).toString('base64url');
}

/** Reads a cursor back; null where none was given; 400 where it is damaged or belongs to another filter. */
export function decodeCursor(cursor: string | undefined, filter: unknown): Position | null {
  if (cursor === undefined) return null;
  const [print, ...position] = parsed(cursor) ?? [];
  if (print !== fingerprint(filter, position)) {
    throw invalid('cursor must be the nextCursor of a page under the same filter');
  }
  return position;
}

function parsed(cursor: string): Position | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return isPosition(value) ? value : null;
  } catch {
    return null;
  }
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number');
}

/** So that a position can neither be altered nor carried to another filter. */
function fingerprint(filter: unknown, position: Position): string {
  return createHash('sha256')
    .update(JSON.stringify([filter, position]))
    .digest('base64url')
    .slice(0, 8);
}
