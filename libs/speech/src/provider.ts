import type { CompleteSpeechConfig } from './config.ts';
import type { AudioFormat } from './types.ts';

/** A sentence to be recognized. */
export interface SpeechRequest {
  bytes: Buffer;
  format: AudioFormat;
  engine: string;
}

/** A cloud service that recognizes sentences. */
export interface SpeechProvider {
  /** The `provider` of outputs. */
  readonly name: string;
  /** Returns the text. Throws a SpeechError; takes at most the configured timeout. */
  recognize(request: SpeechRequest, config: CompleteSpeechConfig): Promise<string>;
}
