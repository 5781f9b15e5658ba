/** What `speech_recognition` returns. */
export type SpeechOutput =
  | { success: true; text: string; language: string; audioSize: number; executionTime: number }
  | { success: false; code: SpeechErrorCode | null; message: string };

const CODES = [
  'INVALID_CREDENTIALS',
  'AUDIO_TOO_LONG',
  'FILE_TOO_LARGE',
  'UNSUPPORTED_FORMAT',
  'NETWORK_ERROR',
  'INVALID_INPUT',
] as const;
export type SpeechErrorCode = (typeof CODES)[number];

/** Reads the output of a call. The `error` of a failure is `<CODE>: <sentence>`. */
export function readSpeechOutput(output: unknown): SpeechOutput {
  const fields = (typeof output === 'object' && output !== null ? output : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  if (fields.success === true) {
    return {
      success: true,
      text: text('text'),
      language: text('language'),
      audioSize: Number(fields.audioSize),
      executionTime: Number(fields.executionTime),
    };
  }
  const error = text('error');
  const code = CODES.find((known) => error.startsWith(`${known}: `)) ?? null;
  return { success: false, code, message: code === null ? error : error.slice(code.length + 2) };
}
