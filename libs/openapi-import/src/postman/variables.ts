import { getOwn, getText } from '../json.ts';

const PLACEHOLDER = /\{\{([^{}]{1,200})\}\}/g;
const MAX_VALUE = 2_000;
/** Values with variables in them are filled in so many times. */
const MAX_ROUNDS = 3;
/** The most characters that variables add to a collection. */
const MAX_ADDED = 5_000_000;

/** The variables of a collection. Those that are secret, or not known, remain placeholders. */
export class Variables {
  private readonly values = new Map<string, string>();
  private added = 0;

  constructor(variables: readonly unknown[]) {
    for (const variable of variables) {
      const value = getOwn(variable, 'value');
      const isUsable = getOwn(variable, 'disabled') !== true && getText(variable, 'type') !== 'secret';
      if (!isUsable || !['string', 'number', 'boolean'].includes(typeof value) || value === '') continue;
      const text = String(value);
      if (text.length <= MAX_VALUE)
        this.values.set(getText(variable, 'key') || getText(variable, 'id'), text);
    }
  }

  fill(text: string): string {
    let filled = text;
    for (let round = 0; round < MAX_ROUNDS && filled.includes('{{'); round++)
      filled = filled.replace(PLACEHOLDER, (placeholder, name: string) => {
        const value = this.values.get(name.trim());
        if (value === undefined || this.added > MAX_ADDED) return placeholder;
        this.added += value.length;
        return value;
      });
    return filled;
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
