import SwaggerParser from '@apidevtools/swagger-parser';
import { getOwn, getText, isObject, type JsonObject } from './json.ts';
import type { DocumentKind } from './types.ts';

/** The most references in a row, each of which leads to the next. */
const MAX_CHAIN = 1_000;

/** Whether a reference leads to another document. */
export const isExternal = (reference: string) => !reference.startsWith('#');

/** Resolves the references of one document on demand. Never loads other documents. */
export class References {
  private readonly found = new Map<string, unknown>();
  private anchors: Anchors | null = null;
  readonly unresolved = new Set<string>();

  private constructor(
    private readonly root: JsonObject,
    private readonly get: (pointer: string) => unknown,
  ) {}

  static async of(root: JsonObject, kind: DocumentKind): Promise<References> {
    // The parser accepts only some version numbers, and the specification of the import accepts all. For 3.1, it would
    // walk through the entire document to find each `$id`; only pointers from the root are followed here.
    const version = kind === 'openapi3' ? { openapi: '3.0.0' } : { swagger: '2.0' };
    const info = { ...(isObject(root.info) ? root.info : {}), title: 'Document', version: '1' };
    const copy = { ...root, ...version, info } as unknown as Parameters<SwaggerParser['resolve']>[0];
    const parser = new SwaggerParser();
    const refs = await parser.resolve(copy, { resolve: { external: false }, continueOnError: true });
    return new References(root, (pointer) => refs.get(pointer));
  }

  /**
   * Follows a reference, and those that it leads to. Returns undefined if one leads nowhere, to another document, or
   * back to itself.
   */
  resolve(reference: string): unknown {
    if (this.found.has(reference)) return this.found.get(reference);
    const value = this.follow(reference);
    if (value === undefined) this.unresolved.add(reference);
    this.found.set(reference, value);
    return value;
  }

  /**
   * Follows a `$dynamicRef`. Which of several anchors it means depends on the schemas around it, so that only an anchor
   * that exists once is found.
   */
  resolveDynamic(reference: string): unknown {
    const name = /^#([^/]+)$/.exec(reference)?.[1];
    const value = name === undefined ? this.resolve(reference) : this.listAnchors().dynamic.get(name);
    if (name !== undefined && value === undefined) return this.resolve(reference);
    if (value === null) this.unresolved.add(reference);
    return value ?? undefined;
  }

  /** The object that a value stands for: the value itself, or the target of its `$ref`. */
  deref(value: unknown): JsonObject | undefined {
    if (!isObject(value)) return undefined;
    const reference = getText(value, '$ref');
    if (reference === '') return value;
    const target = this.resolve(reference);
    return isObject(target) ? target : undefined;
  }

  private follow(reference: string): unknown {
    const seen = new Set<string>();
    let pointer = reference;
    while (seen.size < MAX_CHAIN) {
      if (!pointer.startsWith('#') || seen.has(pointer)) return undefined;
      seen.add(pointer);
      const value = this.lookUp(pointer);
      const next = isObject(value) && onlyRefers(value) ? getText(value, '$ref') : '';
      if (next === '') return value ?? undefined;
      pointer = next;
    }
    return undefined;
  }

  private listAnchors(): Anchors {
    return (this.anchors ??= findAnchors(this.root));
  }

  private lookUp(pointer: string): unknown {
    // The document itself is no schema.
    if (pointer === '#') return undefined;
    if (!pointer.startsWith('#/')) {
      const name = decodeSegment(pointer.slice(1));
      const { plain, dynamic } = this.listAnchors();
      return plain.get(name) ?? dynamic.get(name) ?? undefined;
    }
    try {
      return this.get(pointer);
    } catch {
      // The parser rejects chains of more than 500 references as well.
      return walkPointer(this.root, pointer);
    }
  }
}

/** Schemas by their anchors; null if several have the same. */
interface Anchors {
  plain: Map<string, object | null>;
  dynamic: Map<string, object | null>;
}

function findAnchors(root: JsonObject): Anchors {
  const anchors: Anchors = { plain: new Map(), dynamic: new Map() };
  const seen = new Set<object>([root]);
  // Nodes that are found are added behind: a set is walked in the order of its insertions.
  for (const node of seen) {
    const add = (names: Map<string, object | null>, name: unknown) => {
      if (typeof name === 'string') names.set(name, names.has(name) ? null : node);
    };
    add(anchors.plain, getOwn(node, '$anchor'));
    add(anchors.dynamic, getOwn(node, '$dynamicAnchor'));
    for (const child of Object.values(node) as unknown[])
      if (typeof child === 'object' && child !== null) seen.add(child);
  }
  return anchors;
}

/** The value at a JSON pointer in a URL fragment, such as `#/components/schemas/Pet`. */
function walkPointer(root: JsonObject, pointer: string): unknown {
  let value: unknown = root;
  for (const segment of pointer.slice(1).split('/').slice(1)) {
    const name = decodeSegment(segment);
    value = Array.isArray(value) ? (value as unknown[])[Number(name)] : getOwn(value, name);
  }
  return value;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return segment;
  }
}

/** Whether an object says nothing besides its reference. */
function onlyRefers(value: JsonObject): boolean {
  return Object.keys(value).length === 1 && typeof value.$ref === 'string';
}
