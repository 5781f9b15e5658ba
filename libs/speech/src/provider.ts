import type { SpeechFormat } from '@platform/contracts';
import type { CompleteSpeechConfig } from './config.ts';

/** A sentence to be recognized. */
export interface SpeechRequest {
  bytes: Buffer;
  format: SpeechFormat;
  engine: string;
}

/** A cloud service that recognizes sentences. */
export interface SpeechProvider {
  /** The `provider` of outputs. */
  readonly name: string;
  /** Returns the text. Throws a SpeechError; takes at most the configured timeout. */
  recognize(request: SpeechRequest, config: CompleteSpeechConfig): Promise<string>;
}
