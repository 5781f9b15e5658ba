/** The schema of a value of any kind, for `anyOf` in the OpenAPI document. */
export const ANY_JSON = [
  ...['object', 'string', 'number', 'boolean'].map((type) => ({ type })),
  { type: 'array', items: {} },
];
