/** The parameters of a model, with the limits of their fields. */
export const MODEL_PARAMETERS = [
  { name: 'temperature', min: 0, max: 2, step: 0.1 },
  { name: 'top_p', min: 0, max: 1, step: 0.05 },
  { name: 'max_tokens', min: 1, step: 256, precision: 0 },
  { name: 'frequency_penalty', step: 0.1 },
  { name: 'presence_penalty', step: 0.1 },
] as const;
