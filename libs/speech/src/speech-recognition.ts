import { readAudio } from './audio.ts';
import { completeConfig, isCredentialProblem, listConfigProblems, type SpeechConfig } from './config.ts';
import { findEngine } from './engines.ts';
import type { SpeechProvider } from './provider.ts';
import { TencentSpeechProvider } from './tencent-provider.ts';
import { SpeechError, type SpeechInput, type SpeechOutput } from './types.ts';

/** The name of the tool, and its version. */
export const SPEECH_TOOL = { name: 'speech_recognition', version: '1.1.0' } as const;

/** The provider's own confidence is not used. */
const CONFIDENCE = 0.85;

export interface RecognizeOptions {
  /** Default: Tencent Cloud. */
  provider?: SpeechProvider;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Receives a sentence for everything that was ignored or corrected. */
  onWarning?: (warning: string) => void;
}

/** Converts one short audio clip to text. Never throws: a failure is an output. */
export async function recognize(
  input: SpeechInput | null | undefined,
  config: SpeechConfig,
  {
    provider = new TencentSpeechProvider(),
    now = Date.now,
    onWarning = () => undefined,
  }: RecognizeOptions = {},
): Promise<SpeechOutput> {
  const startedAt = now();
  const given: unknown = input?.sessionId;
  const sessionId = typeof given === 'string' ? given : null;
  const processedAt = () => new Date(now()).toISOString();
  try {
    const { text, language, audioSize } = await run(input, config, provider, onWarning);
    return {
      success: true,
      text,
      language,
      confidence: CONFIDENCE,
      provider: provider.name,
      method: 'sentence',
      processedAt: processedAt(),
      audioSize,
      sessionId,
      executionTime: Math.round(now() - startedAt),
    };
  } catch (error) {
    const known =
      error instanceof SpeechError
        ? error
        : new SpeechError('NETWORK_ERROR', 'The recognition failed unexpectedly');
    return {
      success: false,
      error: `${known.code}: ${known.message}`,
      provider: provider.name,
      processedAt: processedAt(),
      sessionId,
      failed: true,
    };
  }
}

async function run(
  input: SpeechInput | null | undefined,
  given: SpeechConfig,
  provider: SpeechProvider,
  onWarning: (warning: string) => void,
): Promise<{ text: string; language: string; audioSize: number }> {
  assertInput(input);
  if ('realtime' in input) onWarning('realtime is ignored: the tool recognizes one sentence at a time');
  assertConfig(given);
  const config = completeConfig(given);
  const { bytes, format, warnings } = await readAudio(input, config);
  for (const warning of warnings) onWarning(warning);
  const language = input.language || config.defaultLanguage;
  const { engine, warning } = findEngine(language, config);
  if (warning !== null) onWarning(warning);
  const text = await provider.recognize({ bytes, format, engine }, config);
  return { text, language, audioSize: bytes.length };
}

function assertInput(input: unknown): asserts input is SpeechInput {
  if (typeof input !== 'object' || input === null) {
    throw new SpeechError('INVALID_INPUT', 'The input must be an object with audio');
  }
  const fields = input as Record<string, unknown>;
  if (fields.audio === undefined || fields.audio === null) {
    const hint = 'audioData' in fields ? ': the field is named audio, not audioData' : '';
    throw new SpeechError('INVALID_INPUT', `audio is required${hint}`);
  }
  for (const name of ['language', 'format', 'filename', 'sessionId']) {
    const value = fields[name];
    if (value !== undefined && value !== null && typeof value !== 'string') {
      throw new SpeechError('INVALID_INPUT', `${name} must be a string`);
    }
  }
}

function assertConfig(config: SpeechConfig): void {
  const problems = listConfigProblems(config);
  if (problems.length === 0) return;
  const isCredential = problems.some(isCredentialProblem);
  throw new SpeechError(isCredential ? 'INVALID_CREDENTIALS' : 'INVALID_INPUT', problems.join('; '));
}
