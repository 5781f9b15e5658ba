/** One sentence of an error message and the form field that it names, or null. */
export interface FieldError {
  field: (string | number)[] | null;
  text: string;
}

/**
 * Splits a message such as `name must be …; settings.top_p must …` and finds the field of each sentence.
 * `fields` are the dotted names of the form's fields. The longest match wins.
 */
export function parseFieldErrors(message: string, fields: readonly string[]): FieldError[] {
  return message.split('; ').map((text) => {
    const written = /^[A-Za-z_][\w.[\]]*/.exec(text)?.[0] ?? '';
    const named = written.replaceAll('[', '.').replaceAll(']', '');
    const field = fields
      .filter((candidate) => named === candidate || named.startsWith(`${candidate}.`))
      .sort((a, b) => b.length - a.length)[0];
    if (field === undefined) return { field: null, text };
    // Next to its field, the sentence does not need the name.
    return {
      field: field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
      text: named === field ? capitalize(text.slice(written.length).trim()) : text,
    };
  });
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
