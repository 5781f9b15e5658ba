import { isObject, type JsonObject } from './json.ts';
import { MAX_DOCUMENT_LENGTH, parsePart } from './parse-document.ts';
import { isExternal } from './references.ts';
import type { DocumentParts } from './types.ts';

/** The most documents that are asked for, whether they can be read or not. */
const MAX_PARTS = 1_000;
const MAX_PROBLEMS = 20;
const AT_ONCE = 6;

/**
 * Loads the documents that a document refers to, and those that they refer to, into the document itself, and makes the
 * references lead there. Returns sentences about those that cannot be loaded: references to them stay.
 */
export async function bundleParts(root: JsonObject, { url, load }: DocumentParts): Promise<string[]> {
  const bundle = new Bundle(root, url);
  const problems: string[] = [];
  let [length, asked] = [0, 0];
  bundle.findReferences(root, url);
  for (;;) {
    const batch = bundle.takeWanted(Math.min(AT_ONCE, MAX_PARTS - asked));
    if (batch.length === 0) break;
    asked += batch.length;
    const loaded = await Promise.all(
      batch.map(async (part) => {
        try {
          const { text, contentType } = await load(part);
          return { part, text, value: parsePart(text, contentType) };
        } catch (error) {
          return { part, text: '', problem: error instanceof Error ? error.message : String(error) };
        }
      }),
    );
    for (const { part, text, value, problem } of loaded) {
      length += text.length;
      if (value !== undefined && length <= MAX_DOCUMENT_LENGTH) bundle.add(part, value);
      else if (problems.length < MAX_PROBLEMS)
        problems.push(`${nameOf(part)}: ${problem ?? 'the documents are too large together'}`);
    }
    if (length > MAX_DOCUMENT_LENGTH) break;
  }
  if (bundle.countWanted > 0)
    problems.push(
      `Documents that are referred to and were not read: ${bundle.countWanted}, because ` +
        (length > MAX_DOCUMENT_LENGTH ? 'the documents are too large together' : `at most ${MAX_PARTS} are`),
    );
  bundle.redirect();
  return problems;
}

class Bundle {
  /** By their addresses. */
  private readonly parts = new Map<string, object>();
  private readonly seen = new Set<string>();
  private readonly wanted: string[] = [];
  /** Objects with a reference, with the addresses of their documents. */
  private readonly referring: { holder: JsonObject; base: string }[] = [];

  constructor(
    private readonly root: JsonObject,
    private readonly url: string,
  ) {}

  get countWanted(): number {
    return this.wanted.length;
  }

  takeWanted(count: number): string[] {
    return this.wanted.splice(0, count);
  }

  add(url: string, part: object): void {
    this.parts.set(url, part);
    this.findReferences(part, url);
  }

  findReferences(document: object, base: string): void {
    const nodes = new Set<object>([document]);
    // Nodes that are found are added behind: a set is walked in the order of its insertions.
    for (const node of nodes) {
      if (isObject(node) && typeof node.$ref === 'string') {
        this.referring.push({ holder: node, base });
        const [part] = split(node.$ref, base) ?? [];
        if (part !== undefined && part !== this.url && isExternal(node.$ref) && !this.seen.has(part)) {
          this.seen.add(part);
          this.wanted.push(part);
        }
      }
      for (const child of Object.values(node) as unknown[])
        if (typeof child === 'object' && child !== null) nodes.add(child);
    }
  }

  /** Makes the references lead to the loaded parts. */
  redirect(): void {
    const key = freeKey(this.root);
    const places = new Map([...this.parts.keys()].map((url, i) => [url, `#/${key}/${i}`]));
    places.set(this.url, '#');
    for (const { holder, base } of this.referring) {
      // References within the document itself stay.
      if (base === this.url && !isExternal(String(holder.$ref))) continue;
      const [part = '', fragment = ''] = split(String(holder.$ref), base) ?? [];
      const place = places.get(part);
      // Anchors are found wherever they are.
      if (place !== undefined) holder.$ref = /^$|^\//.test(fragment) ? `${place}${fragment}` : `#${fragment}`;
    }
    if (this.parts.size > 0) this.root[key] = [...this.parts.values()];
  }
}

/** The address of the document that a reference leads to, and its fragment. */
function split(reference: string, base: string): [url: string, fragment: string] | null {
  const url = URL.parse(reference, base);
  if (url === null) return null;
  const fragment = url.hash.slice(1);
  url.hash = '';
  return [url.href, fragment];
}

function freeKey(root: JsonObject): string {
  let key = 'x-parts';
  while (Object.hasOwn(root, key)) key += '-';
  return key;
}

/** Files by their paths, other documents by their addresses. */
function nameOf(url: string): string {
  if (!url.startsWith('file:')) return url;
  try {
    return decodeURIComponent(new URL(url).pathname.slice(1));
  } catch {
    return url;
  }
}
