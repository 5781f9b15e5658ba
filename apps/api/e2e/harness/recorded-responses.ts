import { readFileSync, writeFileSync } from 'node:fs';
import { PLACEHOLDERS } from '../../src/api-document/examples.ts';

const FILE = new URL('../../src/api-document/response-examples.json', import.meta.url);
const MAX_ITEMS = 2;
const MAX_TEXT = 400;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** What differs from one recording to the next, and what an example has in its place. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\bmcp_[\w.-]+/g, 'mcp_…'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJI…'],
  // Codes and refresh tokens, behind their ids.
  [/\.[\w-]{43}\b/g, '.…'],
  [/\b(pk|app|whsec)_[\w/+=-]+/g, '$1_…'],
  [/\bv1,[\w+/]{43}=/g, 'v1,…'],
  // A `webhook-timestamp`.
  [/^\d{10}$/, '1769860800'],
  [/\b[0-9a-f]{64}\b/g, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  [/\b[0-9a-f]{12}@example\.com\b/g, PLACEHOLDERS.email],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://platform.example'],
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-31T12:00:00.000Z'],
];
/** Members that are numbers and differ as well. */
const MEASURED = /(Ms|_time|Bytes|created|_at)$/;

/** The responses of examples as the API document shows them: recorded by the test that sends all examples. */
export class RecordedResponses {
  private readonly recorded: Record<string, unknown> = {};
  private readonly ids = new Map<string, string>();

  /** `values`: what stood for the placeholders. */
  add(operationId: string, body: unknown, values: Readonly<Record<string, string | undefined>>): void {
    for (const [name, placeholder] of Object.entries(PLACEHOLDERS)) {
      const value = values[name];
      if (value !== undefined && value.length >= 8) this.ids.set(value, placeholder);
    }
    this.recorded[operationId] = this.shorten(body, '');
  }

  /** Replaces the examples that the document shows. */
  save(): void {
    writeFileSync(FILE, `${JSON.stringify(this.recorded, null, 2)}\n`);
  }

  static committed(): Record<string, unknown> {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;
  }

  private shorten(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.textOf(value);
    if (typeof value === 'number') return MEASURED.test(key) && value > 0 ? 12 : value;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => this.shorten(item, key));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.shorten(member, name)]),
    );
  }

  private textOf(text: string): string {
    const known = this.ids.get(text) ?? text;
    const stable = VARYING.reduce((result, [pattern, by]) => result.replace(pattern, by), known).replace(
      UUID,
      (id) => this.idOf(id),
    );
    return stable.length > MAX_TEXT ? `${stable.slice(0, MAX_TEXT)}…` : stable;
  }

  private idOf(id: string): string {
    if (Object.values<string>(PLACEHOLDERS).includes(id)) return id;
    const known = this.ids.get(id) ?? `01996f2e-0000-7000-8000-${String(this.ids.size).padStart(12, '0')}`;
    this.ids.set(id, known);
    return known;
  }
}
