import { isObject, type JsonObject } from './json.ts';
import { mergeSchemas } from './merge-all-of.ts';
import type { References } from './references.ts';
import type { PortSchema, ReportReason } from './types.ts';
import { writeSchema } from './write-schema.ts';

/** The most nodes of one converted schema. What is beyond them becomes the empty object schema. */
const MAX_NODES = 2_000;
/** The most members of one `allOf`, nested ones included. */
const MAX_MEMBERS = 200;

const CYCLE = 'The schema contains itself; the inner one is simplified';
const TOO_LARGE = `The schema has more than ${MAX_NODES} parts; this one is simplified`;

/** The schema of a value about which nothing is known. */
export function emptySchema({ title, description }: JsonObject = {}): PortSchema {
  return {
    type: 'object',
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    properties: {},
  };
}

/** A schema of the document that waits to be converted. */
interface Pending {
  source: unknown;
  pointer: string;
  /** The schemas that contain it, by identity, to find cycles. */
  ancestors: Ancestors | null;
  put: (converted: unknown) => void;
  /** The target, if it is a reference without further keywords. */
  target: object | undefined;
  /** Where it is used. */
  parent: Pending | null;
  /** What it has become. */
  converted?: unknown;
  /** How many schemas it consists of, itself included. */
  size: number;
  /** Whether nothing in it was simplified. */
  isExact: boolean;
}

/** A schema that was converted as it is. Without cycles, it is the same wherever it is used. */
interface Finished {
  schema: unknown;
  size: number;
}

/** A schema of a parameter, a body, or a response, with what was simplified in it, by pointers into it. */
interface Whole {
  schema: unknown;
  reasons: ReportReason[];
}

/** What has been converted in a document, to be used again. */
export class FinishedSchemas {
  /** By the targets of references. */
  readonly parts = new Map<object, Finished>();
  /** By the schemas in the document. They start without ancestors, so their cycles end in the same places as well. */
  readonly wholes = new Map<object, Whole>();
}

interface Ancestors {
  schemas: ReadonlySet<object>;
  next: Ancestors | null;
}

/**
 * Converts schemas of OpenAPI 3.x and Swagger 2.0 to JSON Schema 2020-12 without references. Breadth first, so that a
 * schema that is too large keeps its upper levels. Cycles end in the empty object schema.
 */
export class SchemaConverter {
  /** All schemas of the current conversion that contain others: what is not among them is nobody's ancestor. */
  private containers = new Set<object>();

  constructor(
    private readonly references: References,
    private readonly onSimplified: (reason: ReportReason) => void,
    private readonly finished: FinishedSchemas,
  ) {}

  convert(source: unknown, pointer: string): unknown {
    const key = this.findTarget(source) ?? (isObject(source) ? source : undefined);
    const known = key && this.finished.wholes.get(key);
    // With finished parts, a schema is counted in another order. That matters only if it is too large.
    const whole = known ?? this.convertWith(source, true) ?? this.convertWith(source, false);
    if (whole === null) return emptySchema();
    if (key !== undefined) this.finished.wholes.set(key, whole);
    for (const { pointer: place, reason } of whole.reasons) {
      this.onSimplified({ pointer: `${pointer}${place}`, reason });
    }
    return whole.schema;
  }

  /** Null if the schema is too large although finished parts are reused. */
  private convertWith(source: unknown, isReusing: boolean): Whole | null {
    const root = this.pend(source, '', null, () => undefined, null);
    const reasons: ReportReason[] = [];
    this.containers = new Set();
    const queue = [root];
    let count = 1;
    for (const pending of queue) {
      const { target } = pending;
      const finished = isReusing && target !== undefined ? this.finished.parts.get(target) : undefined;
      if (finished !== undefined) {
        count += finished.size - 1;
        pending.size = finished.size;
        finish(pending, finished.schema);
      } else {
        const { schema, children, problem } = this.convertNode(pending);
        // A schema is cut as a whole: its parts alone would mislead. The topmost one always keeps its properties.
        const isTooLarge = count + children.length > MAX_NODES && pending !== root;
        const reason = isTooLarge ? TOO_LARGE : problem;
        if (reason === null) {
          count += children.length;
          finish(pending, schema);
          queue.push(...children);
        } else {
          reasons.push({ pointer: pending.pointer, reason });
          pending.isExact = false;
          finish(pending, this.describe(pending.source));
        }
      }
      if (isReusing && count > MAX_NODES) return null;
    }
    this.remember(queue);
    return { schema: root.converted, reasons };
  }

  /** Keeps what can be reused: schemas without a simplified part, which therefore have no cycle either. */
  private remember(queue: readonly Pending[]): void {
    // Children come after their parents.
    for (let i = queue.length - 1; i >= 0; i--) {
      const { parent, isExact, size, target, converted } = queue[i] as Pending;
      if (isExact && target !== undefined) this.finished.parts.set(target, { schema: converted, size });
      if (parent === null) continue;
      parent.size += size;
      parent.isExact &&= isExact;
    }
  }

  private pend(
    source: unknown,
    pointer: string,
    ancestors: Ancestors | null,
    put: Pending['put'],
    parent: Pending | null,
  ): Pending {
    const target = this.findTarget(source);
    return { source, pointer, ancestors, put, target, parent, converted: undefined, size: 1, isExact: true };
  }

  /** The schema that a reference without further keywords leads to. */
  private findTarget(source: unknown): object | undefined {
    if (!isObject(source) || typeof source.$ref !== 'string') return undefined;
    for (const key in source) if (key !== '$ref') return undefined;
    const target = this.references.resolve(source.$ref);
    return isObject(target) ? target : undefined;
  }

  private convertNode(pending: Pending): { schema: unknown; children: Pending[]; problem: string | null } {
    const { source, pointer, ancestors } = pending;
    const children: Pending[] = [];
    if (typeof source === 'boolean') return { schema: source, children, problem: null };
    if (!isObject(source)) return { schema: null, children, problem: 'The schema is not an object' };
    const found = this.collectMembers(source, ancestors);
    if (typeof found === 'string') return { schema: null, children, problem: found };
    const inner = { schemas: found.seen, next: ancestors };
    const schema = writeSchema(mergeSchemas(found.members), (child, path, put) =>
      children.push(this.pend(child, `${pointer}${path}`, inner, put, pending)),
    );
    if (children.length > 0) for (const one of found.seen) this.containers.add(one);
    return { schema, children, problem: null };
  }

  /**
   * Collects the schemas that apply together: those that references lead to, and the members of `allOf`. Returns a sentence
   * if that is impossible.
   */
  private collectMembers(
    source: JsonObject,
    ancestors: Ancestors | null,
  ): { members: JsonObject[]; seen: ReadonlySet<object> } | string {
    // Most schemas stand alone.
    if (source.$ref === undefined && source.allOf === undefined) {
      return this.isAncestor(source, ancestors) ? CYCLE : { members: [source], seen: new Set([source]) };
    }
    const members: JsonObject[] = [];
    const seen = new Set<object>();
    const stack: unknown[] = [source];
    for (let schema = stack.pop(); schema !== undefined; schema = stack.pop()) {
      if (!isObject(schema) || seen.has(schema)) continue;
      if (this.isAncestor(schema, ancestors)) return CYCLE;
      if (seen.size >= MAX_MEMBERS) return `The schema combines more than ${MAX_MEMBERS} others`;
      seen.add(schema);
      if (schema.$ref === undefined && schema.allOf === undefined) {
        members.push(schema);
        continue;
      }
      const { $ref: reference, allOf, ...own } = schema;
      // Keywords beside a reference come first: their descriptions are more specific than those of its target.
      if (Object.keys(own).length > 0) members.push(own);
      // The last one is taken first.
      if (Array.isArray(allOf)) stack.push(...(allOf as unknown[]).slice(0, MAX_MEMBERS).reverse());
      if (typeof reference !== 'string') continue;
      const target = this.references.resolve(reference);
      if (isObject(target)) stack.push(target);
      else if (typeof target !== 'boolean')
        return `The reference ${shorten(reference)} cannot be resolved, so any object is accepted`;
    }
    return { members, seen };
  }

  private isAncestor(schema: object, ancestors: Ancestors | null): boolean {
    if (!this.containers.has(schema)) return false;
    for (let one = ancestors; one !== null; one = one.next) if (one.schemas.has(schema)) return true;
    return false;
  }

  /** What is left of a schema that is simplified. */
  private describe(source: unknown): PortSchema {
    return emptySchema(isObject(source) ? (this.references.deref(source) ?? source) : {});
  }
}

function finish(pending: Pending, converted: unknown): void {
  pending.converted = converted;
  pending.put(converted);
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
