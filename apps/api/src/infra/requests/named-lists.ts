import {
  In,
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from 'typeorm';
import { withinBytes, type Cursors, type Position } from './cursors.ts';
import { isUuid } from './ids.ts';
import { idsOf, type NamedPageDto } from './page.dto.ts';

/** Of a longer text, the first words are sought: each costs a comparison with every row. */
const MAX_WORDS = 8;
/** Names are sorted by their beginnings, so that a cursor has a bounded length. */
const SORTED_CHARS = 100;
/** Of what is loaded for a page. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** What a list is sorted by, before the ids. */
interface SortKey<Row> {
  /** SQL of the value in a row; an index repeats it. */
  value: string;
  /** SQL of the value after which a page continues. It contains the parameter `:afterKey`. */
  after: string;
  /** Returns what `:afterKey` is after the row. */
  of: (row: Row) => string;
}

/** How the rows of a table are searched and sorted, in SQL of the alias of its query. */
export interface NamedList<Row> {
  id: string;
  idOf: (row: Row) => string;
  /** The texts that are searched. */
  text: string;
  /** By the names that `sort` has. Without a key for it, a list is sorted by its ids: by `createdAt`. */
  keys: Partial<Record<string, SortKey<Row>>>;
}

/** Which part of a list is read. */
export interface ListPart {
  /** Null: those of any id. */
  ids: readonly string[] | null;
  words: readonly string[];
  /** Null: the ids. */
  sortedBy: string | null;
  isDescending: boolean;
  after: Position | null;
  limit: number;
  /** What a cursor of the list is bound to. */
  filter: object;
}

/** Sorts by names, whatever the case of their letters. */
export function byName<Row>(column: string, nameOf: (row: Row) => string): SortKey<Row> {
  return {
    value: `lower(left(${column}, ${SORTED_CHARS}))`,
    after: 'lower(:afterKey)',
    of: (row) => [...nameOf(row)].slice(0, SORTED_CHARS).join(''),
  };
}

/** Sorts by times, which SQL must give in milliseconds, as JavaScript has them. */
export function byTime<Row>(value: string, timeOf: (row: Row) => string): SortKey<Row> {
  return { value, after: ':afterKey', of: timeOf };
}

/** Returns which part of a list is asked for; `filter` is what else the list is limited to. */
export function readPart(
  query: NamedPageDto & { sort?: string },
  filter: object,
  cursors: Cursors,
): ListPart {
  const { text, sort } = query;
  const ids = idsOf(query);
  const whole = {
    ...filter,
    ...(ids && { ids }),
    ...(text !== undefined && { text }),
    ...(sort !== undefined && { sort }),
  };
  return {
    ids,
    words: text === undefined ? [] : text.trim().split(/\s+/).slice(0, MAX_WORDS),
    sortedBy: sort?.replace(/^-/, '') ?? null,
    isDescending: sort?.startsWith('-') ?? true,
    after: cursors.decode(query.cursor, whole),
    limit: ids?.length ?? query.limit,
    filter: whole,
  };
}

/** Limits a query to a part of the list, and one row more, which tells that there is a next page. */
export function selectPart<Entity extends ObjectLiteral, Row>(
  query: SelectQueryBuilder<Entity>,
  list: NamedList<Row>,
  part: ListPart,
): SelectQueryBuilder<Entity> {
  const { id, text } = list;
  const { ids, words, isDescending, after, limit } = part;
  const key = keyOf(list, part);
  const direction = isDescending ? 'DESC' : 'ASC';
  const beyond = isDescending ? '<' : '>';
  if (key !== undefined) query.addOrderBy(key.value, direction);
  query.addOrderBy(id, direction).limit(limit + 1);
  if (ids !== null) query.andWhere(`${id} = any(cast(:ids as uuid[]))`, { ids: ids.filter(isUuid) });
  if (words.length > 0)
    query.andWhere(
      `lower(${text}) like all (array(select lower(word) from unnest(cast(:words as text[])) as word))`,
      { words: words.map((word) => `%${word.replace(/[\\%_]/g, String.raw`\$&`)}%`) },
    );
  if (after === null) return query;
  const [afterId, afterKey] = after;
  return key === undefined
    ? query.andWhere(`${id} ${beyond} :afterId`, { afterId })
    : query.andWhere(`(${key.value}, ${id}) ${beyond} (${key.after}, :afterId)`, { afterId, afterKey });
}

/** Rows of a list, and how many of them its page has: the one after them tells that there are more. */
export interface Listed<Row> {
  rows: Row[];
  size: number;
}

/**
 * Loads what a query finds for a page, which is one row more than its limit: fewer rows if they are large. `bytes`: an SQL expression
 * for how large what is loaded of a row is.
 */
export async function loadFitting<Row extends ObjectLiteral & { id: string }>(
  tx: EntityManager,
  entity: EntityTarget<Row>,
  query: SelectQueryBuilder<Row>,
  { bytes, limit }: { bytes: string; limit: number },
): Promise<Listed<Row>> {
  const found = await query
    .select(`${query.alias}.id`, 'id')
    .addSelect(bytes, 'bytes')
    .getRawMany<{ id: string; bytes: number }>();
  const { length: size } = withinBytes(found.slice(0, limit), PAGE_BYTES);
  const ids = found.slice(0, size + 1).map(({ id }) => id);
  const loaded = await tx.findBy(entity, { id: In(ids) } as FindOptionsWhere<Row>);
  const byId = new Map(loaded.map((row) => [row.id, row]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), size };
}

/** The position of a row in the list. */
export function positionIn<Row>(list: NamedList<Row>, part: ListPart, row: Row): Position {
  const key = keyOf(list, part);
  return [list.idOf(row), ...(key === undefined ? [] : [key.of(row)])];
}

/** Whether a text that is not in the database matches, as those that are do. */
export function hasWords({ words }: ListPart, text: string): boolean {
  return words.every((word) => text.toLowerCase().includes(word.toLowerCase()));
}

function keyOf<Row>({ keys }: NamedList<Row>, { sortedBy }: ListPart): SortKey<Row> | undefined {
  return sortedBy === null ? undefined : keys[sortedBy];
}
