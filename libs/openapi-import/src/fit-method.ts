import { isObject, setOwn, type JsonObject } from './json.ts';
import { MAX_REMEMBERED, type Sizes } from './measure.ts';
import { emptySchema, loosen, stubOf } from './schemas/simplify.ts';
import { holdsSchemas, KEYWORDS } from './schemas/write-schema.ts';
import type { PortSchema } from './types.ts';

/** Keywords that say nothing about which values are valid. */
const ANNOTATIONS = new Set([
  'title',
  'description',
  'examples',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'discriminator',
]);
/** Levels of schemas that remain at most. */
const MAX_LEVELS = 20;
const MAX_LEAF_BYTES = 200;
export interface Schemas {
  input: PortSchema;
  output: PortSchema;
}

/** What was left out, in the order in which it was. */
export type Cut =
  { of: keyof Schemas; what: 'descriptions' } | { of: keyof Schemas; what: 'levels'; levels: number };

/**
 * Cuts the schemas of a method until they have at most so many bytes together: first the output, then the input; first
 * descriptions, then levels. Null if the input is too large even then.
 */
export function fitSchemas(
  schemas: Schemas,
  maxBytes: number,
  sizes: Sizes,
  copies: Copies,
): (Schemas & { cuts: Cut[] }) | null {
  const fitted = { ...schemas };
  const cuts: Cut[] = [];
  const bytes = () => sizes.of(fitted.input) + sizes.of(fitted.output);
  for (const part of ['output', 'input'] as const) {
    if (bytes() <= maxBytes) break;
    const whole = fitted[part];
    fitted[part] = withoutAnnotations(whole, part === 'input' ? 2 : 1, copies);
    cuts.push({ of: part, what: 'descriptions' });
    if (bytes() <= maxBytes) break;
    const described = fitted[part];
    // Upwards, because a schema that is cut early is small.
    let levels = 1;
    let cut = cutLevels(described, levels, sizes) as PortSchema;
    fitted[part] = cut;
    while (levels < MAX_LEVELS && bytes() <= maxBytes) {
      cut = fitted[part];
      fitted[part] = cutLevels(described, levels + 1, sizes) as PortSchema;
      if (bytes() <= maxBytes) levels++;
    }
    if (bytes() > maxBytes) fitted[part] = cut;
    cuts.push({ of: part, what: 'levels', levels });
    if (part === 'output' && bytes() > maxBytes) fitted.output = emptySchema();
  }
  return bytes() > maxBytes ? null : { ...fitted, cuts };
}

/** `kept`: levels of schemas that keep theirs. Schemas that several methods share are copied once. */
function withoutAnnotations(schema: PortSchema, kept: number, copies: Copies): PortSchema {
  const known = copies.of(schema, kept);
  if (known !== undefined) return known;
  const below = Math.max(kept - 1, 0);
  const copy = mapChildren(
    schema,
    (child) => (isObject(child) ? withoutAnnotations(child, below, copies) : child),
    kept > 0 ? null : ANNOTATIONS,
  );
  copies.keep(schema, kept, copy);
  return copy;
}

/** Schemas without annotations, by those with them, and by how many levels keep theirs. */
export class Copies {
  private readonly levels = Array.from({ length: 3 }, () => new Map<PortSchema, PortSchema>());

  of(schema: PortSchema, kept: number): PortSchema | undefined {
    return this.levels[kept]?.get(schema);
  }

  keep(schema: PortSchema, kept: number, copy: PortSchema): void {
    const copies = this.levels[kept];
    if (copies !== undefined && copies.size >= MAX_REMEMBERED) copies.clear();
    copies?.set(schema, copy);
  }
}

/** The schema itself if it has no more levels. */
function cutLevels(schema: unknown, levels: number, sizes: Sizes): unknown {
  if (!isObject(schema)) return schema;
  if (levels === 0) return isSmallLeaf(schema, sizes) ? schema : toStub(schema);
  const loosened = new Set<string>();
  const mapped = mapChildren(schema, (child, keyword) => {
    const cut = cutLevels(child, levels - 1, sizes);
    if (cut !== child) loosened.add(keyword);
    return cut;
  });
  if (loosened.size === 0) return schema;
  for (const keyword of loosened) loosen(mapped, keyword);
  return mapped;
}

/** A schema without others in it says more than its type, with few bytes. */
function isSmallLeaf(schema: JsonObject, sizes: Sizes): boolean {
  return (
    sizes.of(schema) <= MAX_LEAF_BYTES &&
    !Object.keys(schema).some((keyword) => holdsSchemas(keyword) && typeof schema[keyword] === 'object')
  );
}

function toStub({ type, isPort }: JsonObject): PortSchema {
  return { ...stubOf(type), ...(isPort === true && { isPort }) };
}

/** A copy with other schemas in it, and without some keywords. */
function mapChildren(
  schema: JsonObject,
  change: (child: unknown, keyword: string) => unknown,
  omitted: ReadonlySet<string> | null = null,
): JsonObject {
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (omitted?.has(keyword)) continue;
    const kind = KEYWORDS.get(keyword);
    if (kind === 'child') copy[keyword] = change(value, keyword);
    else if (kind === 'list' && Array.isArray(value))
      copy[keyword] = (value as unknown[]).map((child) => change(child, keyword));
    else if (kind === 'map' && isObject(value)) {
      const map: JsonObject = {};
      for (const [name, child] of Object.entries(value)) setOwn(map, name, change(child, keyword));
      copy[keyword] = map;
    } else copy[keyword] = value;
  }
  return copy;
}
