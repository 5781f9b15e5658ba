import { asr } from 'tencentcloud-sdk-nodejs-asr';
import type { CompleteSpeechConfig } from './config.ts';
import type { SpeechProvider, SpeechRequest } from './provider.ts';
import { SpeechError } from './types.ts';

/** `SourceType` for audio that is part of the request. */
const INLINE = 1;
/** The SDK's field for signed requests of version 3. */
const SIGN_METHOD = 'TC3-HMAC-SHA256';

/** One-sentence recognition of Tencent Cloud, by its own SDK. */
export class TencentSpeechProvider implements SpeechProvider {
  readonly name = 'tencent';

  async recognize({ bytes, format, engine }: SpeechRequest, config: CompleteSpeechConfig): Promise<string> {
    const client = new asr.v20190614.Client({
      credential: { secretId: config.secretId, secretKey: config.secretKey },
      region: config.region,
      profile: {
        signMethod: SIGN_METHOD,
        httpProfile: {
          ...(config.endpoint !== undefined && { endpoint: config.endpoint }),
          protocol: `${config.protocol}://`,
          // Whole seconds; the timer below is exact.
          reqTimeout: Math.ceil(config.timeout / 1_000) + 1,
        },
      },
    });
    const request = {
      EngSerViceType: engine,
      SourceType: INLINE,
      VoiceFormat: format,
      Data: bytes.toString('base64'),
      DataLen: bytes.length,
    };
    try {
      const { Result } = await withTimeout(client.SentenceRecognition(request), config.timeout);
      return Result ?? '';
    } catch (error) {
      throw toSpeechError(error);
    }
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new SpeechError('NETWORK_ERROR', `The provider did not respond within ${ms} ms`)),
      ms,
    );
  });
  // The work goes on after a timeout, and its failure must not be unhandled.
  work.catch(() => undefined);
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** The SDK's errors have a code of the provider, or one of Node.js if there was no response. Messages may repeat input. */
function toSpeechError(error: unknown): SpeechError {
  if (error instanceof SpeechError) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  const text = typeof code === 'string' ? code : '';
  const cause = { cause: error };
  if (text.startsWith('AuthFailure')) {
    return new SpeechError(
      'INVALID_CREDENTIALS',
      `The provider rejects secretId or secretKey (${text})`,
      cause,
    );
  }
  if (text.startsWith('UnauthorizedOperation')) {
    const sentence = 'The key needs permission for the action asr:SentenceRecognition';
    return new SpeechError('INVALID_CREDENTIALS', `${sentence} (${text})`, cause);
  }
  if (/VoiceFormat/i.test(text)) {
    return new SpeechError('UNSUPPORTED_FORMAT', `The provider does not support the format (${text})`, cause);
  }
  if (/TooLong|Duration/i.test(text)) {
    return new SpeechError('AUDIO_TOO_LONG', `The provider says that the audio is too long (${text})`, cause);
  }
  if (/^(InvalidParameter|MissingParameter|UnsupportedOperation)/.test(text)) {
    return new SpeechError('INVALID_INPUT', `The provider rejects the request (${text})`, cause);
  }
  const detail = /^[A-Za-z][A-Za-z0-9_.]{0,60}$/.test(text) ? ` (${text})` : '';
  return new SpeechError('NETWORK_ERROR', `The provider cannot be reached or has failed${detail}`, cause);
}
