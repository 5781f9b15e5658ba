import SwaggerParser from '@apidevtools/swagger-parser';
import { getOwn, getText, isObject, type JsonObject } from './json.ts';
import type { DocumentKind } from './types.ts';

/** The most references in a row, each of which leads to the next. */
const MAX_CHAIN = 1_000;

/** Resolves the references of one document on demand. Never loads other documents. */
export class References {
  private readonly found = new Map<string, unknown>();
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

  private lookUp(pointer: string): unknown {
    try {
      return this.get(pointer);
    } catch {
      // The parser rejects chains of more than 500 references as well.
      return walkPointer(this.root, pointer);
    }
  }
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
