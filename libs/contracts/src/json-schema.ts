/** A JSON Schema of draft 2020-12. */
export type JsonSchema = boolean | { [keyword: string]: unknown };
