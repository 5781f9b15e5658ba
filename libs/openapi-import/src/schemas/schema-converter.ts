import { isObject, type JsonObject } from '../json.ts';
import { countCharacters } from '../measure.ts';
import { isExternal, type References } from '../references.ts';
import type { PortSchema, ReportReason } from '../types.ts';
import { isCombined, mergeSchemas } from './merge-all-of.ts';
import { emptySchema, loosen, singleType, stubOf, withoutRequired } from './simplify.ts';
import { writeSchema } from './write-schema.ts';

/** The most nodes of one converted schema, which bounds the work. How large a method may be is a matter of its characters. */
const MAX_NODES = 2_000;
/** The most schemas within each other. Each takes up to two of the 64 levels that the service stores. */
const MAX_DEPTH = 20;
/** The most members of one `allOf`, nested ones included. */
const MAX_MEMBERS = 200;

/** The most characters of converted schemas that are kept for other operations. */
const MAX_KEPT = 20_000_000;
/** The most that the name of a keyword takes. */
const KEYWORD_LENGTH = 30;

const CYCLE = 'The schema contains itself; the inner one is simplified';
const TOO_LARGE = `The schema has more than ${MAX_NODES} parts; this one is simplified`;
const TOO_DEEP = `The schema has more than ${MAX_DEPTH} levels; this one is simplified`;
const LOOSER = 'A part of the schema is simplified, so a rule that depends on it is left out as well';
/** Keywords beside a reference that replace those of its target. */
const TEXTS = ['title', 'description'];
/** The levels of a schema without others in it. */
const LEAF: readonly number[] = [1];
/** Texts of integers, which a JavaScript number may not hold. */
const INTEGER_TEXT = '^-?[0-9]{1,19}$';

/** Whether values are sent or received: a value that only the server sets is no input, and one that it never returns no output. */
export type Direction = 'input' | 'output';

/** A schema of the document that waits to be converted. */
interface Pending {
  source: unknown;
  pointer: string;
  /** The keyword of the parent that contains it. */
  keyword: string;
  depth: number;
  /** The schemas that contain it, by identity, to find cycles. */
  ancestors: Ancestors | null;
  /** Takes what it has become; undefined if it is left out. */
  put: (converted: unknown) => void;
  /** Whether it is the target of a reference, so that it can be used again. */
  isTarget: boolean;
  /** The texts beside the reference. */
  own: JsonObject | null;
  /** Where it is used. */
  parent: Pending | null;
  /** What it has become. */
  converted?: unknown;
  /** How many schemas it has on each level, itself included. */
  widths: readonly number[];
  /** Its size as JSON, rather too large than too small. */
  characters: number;
  /** Whether nothing in it was simplified. */
  isExact: boolean;
  /** Whether it is the same as an input and as an output. */
  isNeutral: boolean;
  /** Whether properties in it were left out, because they are of the other direction. */
  isReduced: boolean;
  /** Keywords below which something was simplified or left out. */
  loosened: Set<string> | null;
  /** Its properties that were left out. */
  dropped: Set<string> | null;
}

/** A schema that was converted as it is. Without cycles, it is the same wherever it is used. */
interface Finished {
  schema: unknown;
  widths: readonly number[];
  characters: number;
  isNeutral: boolean;
  isReduced: boolean;
}

/** A schema of a parameter, a body, or a response, with what was simplified in it, by pointers into it. */
interface Whole {
  schema: unknown;
  characters: number;
  reasons: ReportReason[];
}

/** What has been converted, to be used again. */
interface Store {
  /** By the targets of references. */
  readonly parts: Map<object, Finished>;
  /** By the schemas in the document. They start without ancestors, so their cycles end in the same places as well. */
  readonly wholes: Map<object, Whole>;
}

const createStore = (): Store => ({ parts: new Map(), wholes: new Map() });

/** What has been converted in a document, by the direction. Most schemas are the same in both. */
export class FinishedSchemas {
  readonly neutral = createStore();
  readonly input = createStore();
  readonly output = createStore();
  private length = 0;

  /** Wholes can share nothing with each other, so that those of a large document would not fit into memory. */
  keepWhole(key: object, whole: Whole, store: Direction | 'neutral'): void {
    this.length += whole.characters;
    if (this.length > MAX_KEPT) {
      for (const { wholes } of [this.neutral, this.input, this.output]) wholes.clear();
      this.length = whole.characters;
    }
    this[store].wholes.set(key, whole);
  }
}

interface Ancestors {
  /** One schema, or those that apply together. A set for each would take most of the memory. */
  schemas: object | ReadonlySet<object>;
  next: Ancestors | null;
}

/** What becomes of one schema, without those inside of it. */
interface Node {
  /** Undefined if it is left out. */
  schema: unknown;
  children: Pending[];
  problem: string | null;
}

/**
 * Converts schemas of OpenAPI 3.x and Swagger 2.0 to JSON Schema 2020-12 without references. Breadth first, so that a
 * schema that is too large keeps its upper levels. What is cut keeps its type.
 */
export class SchemaConverter {
  /** All schemas of the current conversion that contain others: what is not among them is nobody's ancestor. */
  private containers = new Set<object>();
  private readonly own: Store;
  /** The size of everything that was converted, rather too large than too small. */
  characters = 0;

  constructor(
    private readonly references: References,
    private readonly onSimplified: (reason: ReportReason) => void,
    private readonly finished: FinishedSchemas,
    private readonly direction: Direction,
  ) {
    this.own = finished[direction];
  }

  convert(source: unknown, pointer: string): unknown {
    const { target, own } = this.findTarget(source);
    const key = target !== null && own === null ? target : isObject(source) ? source : undefined;
    const known = key && (this.finished.neutral.wholes.get(key) ?? this.own.wholes.get(key));
    const found = known ?? this.convertWith(source, key, null);
    // Too large: only whatever is above the first cut is still the same wherever it is used.
    const whole = typeof found === 'number' ? this.convertWith(source, key, found) : found;
    if (typeof whole === 'number') return emptySchema();
    this.characters += whole.characters;
    for (const { pointer: place, reason } of whole.reasons) {
      this.onSimplified({ pointer: `${pointer}${place}`, reason });
    }
    return whole.schema;
  }

  /**
   * `reusable`: the level down to which finished parts are reused; null if all are. Then it returns the level below which
   * the schema has to be cut, if it is too large: that level is the same whichever parts are finished.
   */
  private convertWith(source: unknown, key: object | undefined, reusable: number | null): Whole | number {
    let schema: unknown;
    const root = this.pend(source, '', '', null, (converted) => (schema = converted), null);
    const reasons: ReportReason[] = [];
    this.containers = new Set();
    const queue = [root];
    /** How many schemas there are on each level, and down to that of the current one. */
    const widths = [1];
    let [level, down] = [-1, 0];
    let count = 1;
    for (const pending of queue) {
      const { depth } = pending;
      if (depth > level) down += widths[(level = depth)] ?? 0;
      const finished = pending.isTarget ? this.findFinished(pending.source) : undefined;
      const height = finished === undefined ? 0 : finished.widths.length - 1;
      if (finished !== undefined && depth + height <= (reusable ?? Infinity)) {
        const isForeign = isObject(finished.schema) && this.isForeign(pending, finished.schema);
        if (!isForeign) {
          pending.widths = finished.widths;
          finished.widths.forEach((width, i) => {
            if (i > 0) [widths[depth + i], count] = [(widths[depth + i] ?? 0) + width, count + width];
          });
        }
        pending.characters = finished.characters;
        pending.isNeutral &&= finished.isNeutral;
        pending.isReduced ||= finished.isReduced;
        pending.converted = isForeign ? undefined : finished.schema;
      } else {
        const { schema, children, problem } = this.convertNode(pending, reasons);
        const reason = this.findLimit(pending, reusable === null ? 0 : count, children) ?? problem;
        if (reason === null) {
          count += children.length;
          if (children.length > 0) widths[depth + 1] = (widths[depth + 1] ?? 0) + children.length;
          pending.characters = countCharacters(schema) + children.length * KEYWORD_LENGTH;
          pending.converted = schema;
          for (const child of children) queue.push(child);
        } else {
          reasons.push({ pointer: pending.pointer, reason });
          pending.isExact = false;
          const cut = this.cut(pending.source);
          pending.characters = countCharacters(cut);
          pending.converted = cut;
        }
      }
      if (reusable === null && down + (widths[depth + 1] ?? 0) > MAX_NODES) break;
    }
    const lowest = reusable === null ? findLowest(widths) : null;
    if (lowest !== null) return lowest;
    this.complete(queue, reasons);
    const whole = { schema, characters: root.characters, reasons };
    if (key !== undefined) this.finished.keepWhole(key, whole, root.isNeutral ? 'neutral' : this.direction);
    return whole;
  }

  private findFinished(source: unknown): Finished | undefined {
    return this.finished.neutral.parts.get(source as object) ?? this.own.parts.get(source as object);
  }

  /** A schema is cut as a whole: its parts alone would mislead. The topmost one always keeps its properties. */
  private findLimit(pending: Pending, count: number, children: readonly Pending[]): string | null {
    if (pending.parent === null || children.length === 0) return null;
    if (count + children.length > MAX_NODES) return TOO_LARGE;
    return pending.depth >= MAX_DEPTH ? TOO_DEEP : null;
  }

  /**
   * Adapts each schema to what has become of those in it, and keeps what can be reused: schemas without a simplified part,
   * which therefore have no cycle either.
   */
  private complete(queue: readonly Pending[], reasons: ReportReason[]): void {
    // Children come after their parents.
    for (let i = queue.length - 1; i >= 0; i--) {
      const one = queue[i] as Pending;
      if (isObject(one.converted)) {
        if (one.dropped !== null) {
          const changed = withoutRequired(one.converted, one.dropped);
          Object.assign(clear(one.converted), changed);
        }
        for (const keyword of one.loosened ?? []) {
          if (!loosen(one.converted, keyword)) continue;
          reasons.push({ pointer: one.pointer, reason: LOOSER });
          one.isExact = false;
        }
      }
      const { parent, isExact, widths, source, own, isNeutral, isReduced } = one;
      if (isExact && one.isTarget && one.converted !== undefined) {
        const { parts } = isNeutral ? this.finished.neutral : this.own;
        const known = parts.get(source as object);
        // What is shared is measured and cut only once.
        if (known !== undefined) one.converted = known.schema;
        else {
          const { converted, characters } = one;
          parts.set(source as object, { schema: converted, widths, characters, isNeutral, isReduced });
        }
      }
      if (own !== null) one.characters += countCharacters(own);
      one.put(own !== null && isObject(one.converted) ? withTexts(one.converted, own) : one.converted);
      if (parent === null) continue;
      parent.widths = addBelow(parent.widths, widths);
      parent.characters += one.characters;
      parent.isExact &&= isExact;
      parent.isNeutral &&= isNeutral;
      parent.isReduced ||= isReduced;
      if (!isExact || isReduced) (parent.loosened ??= new Set()).add(one.keyword);
    }
  }

  private pend(
    source: unknown,
    keyword: string,
    pointer: string,
    ancestors: Ancestors | null,
    put: Pending['put'],
    parent: Pending | null,
  ): Pending {
    const { target, own } = this.findTarget(source);
    return {
      source: target ?? source,
      pointer,
      keyword,
      depth: parent === null ? 0 : parent.depth + 1,
      ancestors,
      put,
      isTarget: target !== null,
      own,
      parent,
      converted: undefined,
      widths: LEAF,
      characters: 0,
      isExact: true,
      isNeutral: true,
      isReduced: false,
      loosened: null,
      dropped: null,
    };
  }

  /** The schema that a reference leads to that says nothing about it besides texts. */
  private findTarget(source: unknown): { target: object | null; own: JsonObject | null } {
    const none = { target: null, own: null };
    if (!isObject(source)) return none;
    const wrapped = source.$ref === undefined && Array.isArray(source.allOf) && source.allOf.length === 1;
    const reference = wrapped ? getLoneReference((source.allOf as unknown[])[0]) : source.$ref;
    if (typeof reference !== 'string') return none;
    let own: JsonObject | null = null;
    for (const key in source) {
      if (key === '$ref' || (wrapped && key === 'allOf')) continue;
      if (!TEXTS.includes(key) || typeof source[key] !== 'string') return none;
      (own ??= {})[key] = source[key];
    }
    const target = this.references.resolve(reference);
    return isObject(target) ? { target, own } : none;
  }

  private convertNode(pending: Pending, reasons: ReportReason[]): Node {
    const { source, pointer, ancestors } = pending;
    const children: Pending[] = [];
    if (typeof source === 'boolean') return { schema: source, children, problem: null };
    if (!isObject(source)) return { schema: null, children, problem: 'The schema is not an object' };
    const found = this.collectMembers(source, ancestors);
    if (typeof found === 'string') return { schema: null, children, problem: found };
    const merged = mergeSchemas(found.members);
    if (this.isForeign(pending, merged)) return { schema: undefined, children, problem: null };
    // A base that a schema is combined with does not contain it, so that it may be a base further down as well.
    const container = isCombined(source) ? found.seen : source;
    const inner = { schemas: container, next: ancestors };
    const schema = writeSchema(merged, {
      addChild: (child, keyword, path, put) =>
        children.push(this.pend(child, keyword, `${pointer}${path}`, inner, put, pending)),
      onLost: (reason) => {
        reasons.push({ pointer, reason });
        pending.isExact = false;
      },
    });
    this.acceptIntegerTexts(pending, schema);
    if (children.length > 0) {
      if (container instanceof Set) for (const one of container as Set<object>) this.containers.add(one);
      else this.containers.add(container);
    }
    return { schema, children, problem: null };
  }

  /** Whether a property belongs to the other direction. */
  private isForeign(pending: Pending, { readOnly, writeOnly }: JsonObject): boolean {
    if (pending.keyword !== 'properties' || (readOnly !== true && writeOnly !== true)) return false;
    pending.isNeutral = false;
    const isForeign = (this.direction === 'input' ? readOnly : writeOnly) === true;
    if (isForeign && pending.parent !== null) {
      pending.isReduced = true;
      (pending.parent.dropped ??= new Set()).add(nameOf(pending));
    }
    return isForeign;
  }

  /** A number of JavaScript cannot hold every integer of 64 bits, so inputs accept their texts. */
  private acceptIntegerTexts(pending: Pending, schema: JsonObject): void {
    const { type } = schema;
    const types = Array.isArray(type) ? (type as unknown[]) : [type];
    if (!types.includes('integer') || types.includes('string')) return;
    const values: unknown[] = Array.isArray(schema.enum)
      ? schema.enum
      : 'const' in schema
        ? [schema.const]
        : [];
    const isLarge =
      values.length === 0 ? schema.format === 'int64' : values.some((value) => typeof value === 'string');
    if (!isLarge) return;
    pending.isNeutral = false;
    if (this.direction === 'output') return;
    schema.type = [...types, 'string'];
    if (values.length === 0) schema.pattern = INTEGER_TEXT;
  }

  /**
   * Collects the schemas that apply together: those that references lead to, and the members of `allOf`. Returns a sentence
   * if that is impossible.
   */
  private collectMembers(
    source: JsonObject,
    ancestors: Ancestors | null,
  ): { members: JsonObject[]; seen: object | ReadonlySet<object> } | string {
    // Most schemas stand alone.
    if (isAlone(source)) {
      return this.isAncestor(source, ancestors) ? CYCLE : { members: [source], seen: source };
    }
    const members: JsonObject[] = [];
    const seen = new Set<object>();
    const stack: unknown[] = [source];
    for (let schema = stack.pop(); schema !== undefined; schema = stack.pop()) {
      if (schema === false) members.push({ not: {} });
      if (!isObject(schema) || seen.has(schema)) continue;
      if (this.isAncestor(schema, ancestors)) return CYCLE;
      if (seen.size >= MAX_MEMBERS) return `The schema combines more than ${MAX_MEMBERS} others`;
      seen.add(schema);
      if (isAlone(schema)) {
        members.push(schema);
        continue;
      }
      const { $ref: _, $dynamicRef: __, $recursiveRef: ___, allOf, ...own } = schema;
      // Keywords beside a reference come first: their descriptions are more specific than those of its target.
      if (Object.keys(own).length > 0) members.push(own);
      // The last one is taken first.
      if (Array.isArray(allOf)) stack.push(...(allOf as unknown[]).slice(0, MAX_MEMBERS + 1).reverse());
      const target = this.follow(schema);
      if (typeof target === 'string') return target;
      if (target !== null) stack.push(target.value);
    }
    return { members, seen };
  }

  /** What the reference of a schema leads to; null if it has none, and a sentence if it leads nowhere. */
  private follow({ $ref, $dynamicRef, $recursiveRef }: JsonObject): { value: unknown } | string | null {
    const reference = $ref ?? $dynamicRef ?? $recursiveRef;
    if (typeof reference !== 'string') return null;
    const value =
      typeof $ref === 'string'
        ? this.references.resolve(reference)
        : typeof $dynamicRef === 'string'
          ? this.references.resolveDynamic(reference)
          : undefined;
    if (isObject(value) || typeof value === 'boolean') return { value };
    return isExternal(reference)
      ? `The reference ${shorten(reference)} leads to another document, so any object is accepted: bundle the document, or import its folder`
      : `The reference ${shorten(reference)} cannot be resolved, so any object is accepted`;
  }

  private isAncestor(schema: object, ancestors: Ancestors | null): boolean {
    if (!this.containers.has(schema)) return false;
    for (let one = ancestors; one !== null; one = one.next) {
      const { schemas } = one;
      if (schemas === schema || (schemas instanceof Set && schemas.has(schema))) return true;
    }
    return false;
  }

  /** What is left of a schema that is simplified: the empty object schema if it cannot be resolved, otherwise its type. */
  private cut(source: unknown): PortSchema {
    if (!isObject(source)) return {};
    const members = this.collectMembers(source, null);
    const described = this.references.deref(source) ?? source;
    if (typeof members !== 'string') return stubOf(singleType(members.members), described);
    return members.startsWith('The reference') ? emptySchema(described) : stubOf(undefined, described);
  }
}

const isAlone = (schema: JsonObject) =>
  schema.$ref === undefined &&
  schema.allOf === undefined &&
  schema.$dynamicRef === undefined &&
  schema.$recursiveRef === undefined;

/** The name of a property, from its pointer. */
function nameOf({ pointer }: Pending): string {
  return pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}

/** The lowest level of a schema that is too large, or too deep, on which there is still something whole; null otherwise. */
function findLowest(widths: readonly number[]): number | null {
  let count = 0;
  const level = widths.findIndex((width, i) => (count += width) > MAX_NODES || i > MAX_DEPTH);
  return level < 0 ? null : level - 1;
}

/** The levels of a schema with one more schema in it. */
function addBelow(widths: readonly number[], below: readonly number[]): readonly number[] {
  const sum = widths === LEAF ? [1] : (widths as number[]);
  for (let i = 0; i < below.length; i++) sum[i + 1] = (sum[i + 1] ?? 0) + (below[i] ?? 0);
  return sum;
}

/** The reference of a schema that says nothing else. */
function getLoneReference(schema: unknown): unknown {
  return isObject(schema) && Object.keys(schema).length === 1 ? schema.$ref : undefined;
}

/** A copy of a schema with other texts, where they are in schemas that are merged. */
function withTexts(schema: JsonObject, texts: JsonObject): JsonObject {
  return { ...('type' in schema && { type: schema.type }), ...texts, ...schema, ...texts };
}

/** Empties an object that others hold already. */
function clear(object: JsonObject): JsonObject {
  for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  return object;
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
