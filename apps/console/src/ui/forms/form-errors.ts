/** One problem of a request and the form field that it names, or null. */
export interface FieldError {
  field: (string | number)[] | null;
  text: string;
}

/** The dotted names of the fields of a form, or a function that finds the one that an error names. */
export type ErrorFields = readonly string[] | ((named: string) => string | undefined);

/** Finds the fields of problems such as `settings.top_p must …`. The longest match wins. */
export function parseFieldErrors(problems: readonly string[], fields: ErrorFields): FieldError[] {
  return problems.map((text) => {
    const written = /^[A-Za-z_][\w.[\]]*/.exec(text)?.[0] ?? '';
    const named = written.replaceAll('[', '.').replaceAll(']', '');
    const field = typeof fields === 'function' ? fields(named) : findLongest(named, fields);
    if (field === undefined) return { field: null, text };
    // Next to its field, the sentence does not need the name.
    return {
      field: field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
      text: named === field ? capitalize(text.slice(written.length).trim()) : text,
    };
  });
}

function findLongest(named: string, fields: readonly string[]): string | undefined {
  return fields
    .filter((candidate) => named === candidate || named.startsWith(`${candidate}.`))
    .sort((a, b) => b.length - a.length)[0];
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
