/** The codes that begin the `error` of a failure. */
export type SpeechErrorCode =
  | 'INVALID_CREDENTIALS'
  | 'AUDIO_TOO_LONG'
  | 'FILE_TOO_LARGE'
  | 'UNSUPPORTED_FORMAT'
  | 'NETWORK_ERROR'
  | 'INVALID_INPUT';

/** What a call of the tool sends. */
export interface SpeechInput {
  /** Base64, with or without a `data:` prefix, or the bytes themselves. */
  audio: string | Buffer;
  /** A language code. Default: the configured defaultLanguage. */
  language?: string | null;
  /** One of the five formats. Default: detected, otherwise wav. */
  format?: string | null;
  /** Default: `audio.{format}`. */
  filename?: string | null;
  /** Returned in the output. */
  sessionId?: string | null;
}

export interface SpeechSuccess {
  success: true;
  text: string;
  language: string;
  /** Always 0.85. */
  confidence: number;
  provider: string;
  method: 'sentence';
  /** ISO 8601. */
  processedAt: string;
  /** Bytes of the decoded audio. */
  audioSize: number;
  sessionId: string | null;
  /** Milliseconds. */
  executionTime: number;
}

export interface SpeechFailure {
  success: false;
  /** `<CODE>: <sentence>`. */
  error: string;
  provider: string;
  processedAt: string;
  sessionId: string | null;
  failed: true;
}

export type SpeechOutput = SpeechSuccess | SpeechFailure;

/** A failure with its code; its message is a sentence for the user. */
export class SpeechError extends Error {
  override name = 'SpeechError';

  constructor(
    readonly code: SpeechErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
