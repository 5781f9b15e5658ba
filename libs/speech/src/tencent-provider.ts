import type { CompleteSpeechConfig } from './config.ts';
import type { SpeechProvider, SpeechRequest } from './provider.ts';
import { TencentClient, type SpeechFetch } from './tencent-client.ts';
import { SpeechError, type SpeechErrorCode } from './types.ts';

/** `SourceType` for audio that is part of the request. */
const INLINE = 1;

/** The most bytes of audio in base64 that the provider takes. */
const MAX_BASE64_BYTES = 3 * 1024 * 1024;

/** What the provider says with its codes, by their beginnings. */
const REASONS: [RegExp, SpeechErrorCode, string][] = [
  [/^AuthFailure/, 'INVALID_CREDENTIALS', 'The provider rejects secretId or secretKey'],
  [
    /^UnauthorizedOperation/,
    'INVALID_CREDENTIALS',
    'The key needs permission for the action asr:SentenceRecognition',
  ],
  [
    /^FailedOperation\.(UserHasNo|ServiceIsolate)/,
    'NETWORK_ERROR',
    'The account with the provider has no credit left',
  ],
  [
    /^FailedOperation\.UserNotRegistered/,
    'NETWORK_ERROR',
    'The account has not enabled the service of the provider',
  ],
  [
    /^(RequestLimitExceeded|LimitExceeded)/,
    'NETWORK_ERROR',
    'The provider limits the rate of calls: try again later',
  ],
  [/NoHumanVoice/, 'INVALID_INPUT', 'The provider hears no voice in the audio'],
  [/^RequestSizeLimitExceeded/, 'FILE_TOO_LARGE', 'The provider says that the audio is too large'],
  [/VoiceFormat/i, 'UNSUPPORTED_FORMAT', 'The provider does not support the format'],
  [/TooLong|Duration/i, 'AUDIO_TOO_LONG', 'The provider says that the audio is too long'],
  [
    /^(InvalidParameter|MissingParameter|UnsupportedOperation)/,
    'INVALID_INPUT',
    'The provider rejects the request',
  ],
];

export interface TencentSpeechOptions {
  /** Makes the connections. Default: the SDK, which follows redirects and reads responses of any size. */
  fetch?: SpeechFetch;
}

/** One-sentence recognition of Tencent Cloud, by its own SDK. */
export class TencentSpeechProvider implements SpeechProvider {
  readonly name = 'tencent';

  constructor(private readonly options: TencentSpeechOptions = {}) {}

  async recognize({ bytes, format, engine }: SpeechRequest, config: CompleteSpeechConfig): Promise<string> {
    const data = bytes.toString('base64');
    if (data.length > MAX_BASE64_BYTES) {
      const limit = `the provider takes at most ${MAX_BASE64_BYTES}`;
      throw new SpeechError('FILE_TOO_LARGE', `The audio has ${data.length} bytes in base64, and ${limit}`);
    }
    const request = {
      EngSerViceType: engine,
      SourceType: INLINE,
      VoiceFormat: format,
      Data: data,
      DataLen: bytes.length,
    };
    try {
      const { Result } = await withTimeout(config.timeout, (signal) =>
        new TencentClient(config, signal, this.options.fetch).SentenceRecognition(request),
      );
      return Result ?? '';
    } catch (error) {
      throw toSpeechError(error, config.endpoint);
    }
  }
}

/** Does not wait for work that ignores the signal. */
async function withTimeout<T>(ms: number, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new SpeechError('NETWORK_ERROR', `The provider did not respond within ${ms} ms`);
      reject(error);
      abort.abort(error);
    }, ms);
  });
  const work = start(abort.signal);
  // After a timeout, its failure must not be unhandled.
  work.catch(() => undefined);
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** The SDK's errors have a code of the provider, or one of Node.js if there was no response. Messages may repeat input. */
function toSpeechError(error: unknown, endpoint: string | undefined): SpeechError {
  if (error instanceof SpeechError) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  const text = typeof code === 'string' ? code : '';
  const detail = /^[A-Za-z][A-Za-z0-9_.]{0,80}$/.test(text) ? ` (${text})` : '';
  const reason = REASONS.find(([pattern]) => pattern.test(text));
  if (reason === undefined) return unreachable(endpoint, detail, error);
  return new SpeechError(reason[1], `${reason[2]}${detail}`, { cause: error });
}

/** There was no response, or one that says nothing. The same if a guard refuses the endpoint. */
export function unreachable(endpoint: string | undefined, detail: string, cause: unknown): SpeechError {
  const place = endpoint === undefined ? '' : ` at ${endpoint}`;
  return new SpeechError('NETWORK_ERROR', `The provider${place} cannot be reached or has failed${detail}`, {
    cause,
  });
}
