import { getOwn, getText } from '../json.ts';

const PLACEHOLDER = /\{\{([^{}]{1,200})\}\}/g;
const MAX_VALUE = 2_000;
/** Values with variables in them are filled in so many times. */
const MAX_ROUNDS = 3;
/** The most characters that variables add to a collection. */
const MAX_ADDED = 5_000_000;

/** The variables of a collection, or of a folder in it. Those that are secret, or not known, remain placeholders. */
export class Variables {
  /** Null for those that remain placeholders, whatever the folders around say. */
  private readonly values = new Map<string, string | null>();

  constructor(
    variables: readonly unknown[],
    /** Those of the folder around, or of the collection. */
    private readonly outer: Variables | null = null,
    private readonly budget: { added: number } = outer?.budget ?? { added: 0 },
  ) {
    for (const variable of variables) {
      const value = getOwn(variable, 'value');
      if (getOwn(variable, 'disabled') === true) continue;
      if (!['string', 'number', 'boolean'].includes(typeof value) || value === '') continue;
      const text = String(value);
      const isUsable = getText(variable, 'type') !== 'secret' && text.length <= MAX_VALUE;
      this.values.set(getText(variable, 'key') || getText(variable, 'id'), isUsable ? text : null);
    }
  }

  /** These with others in front of them. */
  within(variables: readonly unknown[]): Variables {
    return variables.length === 0 ? this : new Variables(variables, this);
  }

  fill(text: string): string {
    let filled = text;
    for (let round = 0; round < MAX_ROUNDS && filled.includes('{{'); round++)
      filled = filled.replace(PLACEHOLDER, (placeholder, name: string) => {
        const value = this.find(name.trim());
        if (value === null || this.budget.added > MAX_ADDED) return placeholder;
        this.budget.added += value.length;
        return value;
      });
    return filled;
  }

  private find(name: string): string | null {
    const value = this.values.get(name);
    return value === undefined ? (this.outer?.find(name) ?? null) : value;
  }

  /** A part of an address, in which variables that are not known are those of the method, or of the server. */
  toTemplate(text: string): string {
    return this.fill(text).replace(
      PLACEHOLDER,
      (_, name: string) => `{${name.trim().replace(/[^\w.-]/g, '_')}}`,
    );
  }

  /** JSON in which variables that are not known, and stand outside of texts, are null. */
  toJson(text: string): string {
    return this.fill(text).replace(/"[^"\\]*(?:\\.[^"\\]*)*"?|\{\{[^{}]{1,200}\}\}/gs, (part) =>
      part.startsWith('"') ? part : 'null',
    );
  }
}
