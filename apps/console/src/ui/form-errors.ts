/** One sentence of a refusal, and the form field that it names (null: none of ours). */
export interface FieldProblem {
  field: (string | number)[] | null;
  text: string;
}

/**
 * Splits the server's `name must be …; settings.top_p must …` and finds the field of each.
 * `fields` are the dotted names that the form can point at; the longest that fits wins.
 */
export function fieldProblems(message: string, fields: readonly string[]): FieldProblem[] {
  return message.split('; ').map((text) => {
    const written = /^[A-Za-z_][\w.[\]]*/.exec(text)?.[0] ?? '';
    const named = written.replaceAll('[', '.').replaceAll(']', '');
    const field = fields
      .filter((candidate) => named === candidate || named.startsWith(`${candidate}.`))
      .sort((a, b) => b.length - a.length)[0];
    if (field === undefined) return { field: null, text };
    // Under its own field a sentence needs no name.
    return {
      field: field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
      text: named === field ? capitalised(text.slice(written.length).trim()) : text,
    };
  });
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
