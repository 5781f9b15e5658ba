/** Replaces what no text in PostgreSQL can have: U+0000, and halves of surrogate pairs. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** SQL: a `json` column as operators can read it. They reject escapes of what no text can have, anywhere in the value. */
export const readableJson = (column: string) => String.raw`(
  case when strpos(${column}::text, '\u') = 0 then ${column}
    else regexp_replace(${column}::text, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'gi')::json end)`;
