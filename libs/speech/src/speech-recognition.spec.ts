import { CloudServer, SECRET_ID, SECRET_KEY } from '../test/cloud-server.ts';
import { makeAac, makeMp3, makeMp4, makeWav } from '../test/test-audio.ts';
import { completeConfig, listConfigProblems, type SpeechConfig } from './config.ts';
import { recognize, SPEECH_TOOL } from './speech-recognition.ts';
import type { SpeechFetchRequest } from './tencent-client.ts';
import { TencentSpeechProvider } from './tencent-provider.ts';
import type { SpeechInput } from './types.ts';

let cloud: CloudServer;
let config: SpeechConfig;
let warnings: string[];

beforeEach(async () => {
  cloud = new CloudServer();
  const endpoint = await cloud.start();
  config = { secretId: SECRET_ID, secretKey: SECRET_KEY, endpoint, protocol: 'http' };
  warnings = [];
});
afterEach(() => cloud.stop());

const run = (input: Partial<SpeechInput> & Record<string, unknown>, changes: SpeechConfig = {}) =>
  recognize(
    { audio: makeWav(1), ...input },
    { ...config, ...changes },
    { onWarning: (warning) => warnings.push(warning) },
  );

async function failureOf(
  input: Partial<SpeechInput> & Record<string, unknown>,
  changes: SpeechConfig = {},
): Promise<string> {
  const output = await run(input, changes);
  if (output.success) throw new Error('The recognition succeeded');
  expect(Object.keys(output).sort()).toEqual([
    'error',
    'failed',
    'processedAt',
    'provider',
    'sessionId',
    'success',
  ]);
  expect(output).toMatchObject({ failed: true, provider: 'tencent' });
  expect(output.processedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(JSON.stringify(output)).not.toContain(SECRET_KEY);
  return output.error;
}

it('is version 1.1.0', () => {
  expect(SPEECH_TOOL).toEqual({ name: 'speech_recognition', version: '1.1.0' });
});

it('recognizes a sentence with the real SDK and a valid signature', async () => {
  const audio = makeWav(1);
  const output = await run({ audio, sessionId: 's-1' });
  expect(output).toEqual({
    success: true,
    text: '你好 world',
    language: 'zh-CN',
    confidence: 0.85,
    provider: 'tencent',
    method: 'sentence',
    processedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    audioSize: audio.length,
    sessionId: 's-1',
    executionTime: expect.any(Number),
  });
  expect(cloud.received).toEqual([
    {
      EngSerViceType: '16k_zh',
      SourceType: 1,
      VoiceFormat: 'wav',
      Data: audio.toString('base64'),
      DataLen: audio.length,
    },
  ]);
  expect(cloud.regions).toEqual(['ap-guangzhou']);
  expect(warnings).toEqual([]);
});

describe('audio', () => {
  it.each([
    ['a buffer', (audio: Buffer) => audio],
    ['base64', (audio: Buffer) => audio.toString('base64')],
    ['base64 with line breaks', (audio: Buffer) => audio.toString('base64').replace(/(.{76})/g, '$1\r\n')],
    ['a data URI', (audio: Buffer) => `data:audio/wav;base64,${audio.toString('base64')}`],
  ])('can be %s', async (_, encode) => {
    const audio = makeWav(0.5);
    expect(await run({ audio: encode(audio) })).toMatchObject({ success: true, audioSize: audio.length });
    expect(cloud.received[0]?.Data).toBe(audio.toString('base64'));
  });

  it.each([
    [{ audio: undefined }, 'INVALID_INPUT: audio is required'],
    [
      { audio: undefined, audioData: 'UklGRg==' },
      'INVALID_INPUT: audio is required: the field is named audio, not audioData',
    ],
    [{ audio: 'not base64!' }, 'INVALID_INPUT: audio must be valid base64'],
    [{ audio: '' }, 'INVALID_INPUT: audio must not be empty'],
    [{ audio: 5 as unknown as string }, 'INVALID_INPUT: audio must be a base64 string or a buffer'],
    [{ sessionId: 5 as unknown as string }, 'INVALID_INPUT: sessionId must be a string'],
  ])('%j is rejected', async (input, error) => {
    expect(await failureOf(input)).toBe(error);
    expect(cloud.received).toEqual([]);
  });

  it('has at most 5 MB after decoding', async () => {
    const limit = 5_242_880;
    expect(await run({ audio: Buffer.alloc(limit), format: 'pcm' }, { maxDuration: 60 })).toMatchObject({
      success: false,
    });
    const tooLarge = `FILE_TOO_LARGE: The audio has ${limit + 1} bytes, and at most ${limit} are allowed`;
    expect(await failureOf({ audio: Buffer.alloc(limit + 1) })).toBe(tooLarge);
    expect(await failureOf({ audio: Buffer.alloc(limit + 1).toString('base64') })).toBe(tooLarge);
    expect(await failureOf({ audio: makeWav(1) }, { maxFileSize: 100 })).toContain('at most 100 are allowed');
  });

  it.each([
    ['wav', makeWav(61)],
    ['mp3', makeMp3(61)],
    ['pcm', Buffer.alloc(61 * 32_000)],
  ])('has at most 60 seconds: %s', async (format, audio) => {
    expect(await failureOf({ audio, format })).toMatch(
      /^AUDIO_TOO_LONG: The audio has 61\.\d seconds, and at most 60 are allowed$/,
    );
  });
});

describe('a hostile file', () => {
  it('keeps nobody else waiting, and is left to the provider', async () => {
    // The parser compares each of these brands with all before it.
    const brands = Array.from({ length: 100_000 }, (_, i) => i.toString(36).padStart(4, '0'));
    const audio = makeMp4(['M4A ', ...brands].join(''));
    const before = process.threadCpuUsage();
    expect(await run({ audio })).toMatchObject({ success: true });
    const { user } = process.threadCpuUsage(before);
    expect(user / 1_000).toBeLessThan(1_000);
  });
});

describe('the format', () => {
  it.each([
    ['wav', makeWav(1)],
    ['mp3', makeMp3(1)],
    ['aac', makeAac(1)],
    ['m4a', makeMp4('M4A ')],
  ])('%s is detected by its bytes', async (format, audio) => {
    expect(await run({ audio })).toMatchObject({ success: true });
    expect(cloud.received[0]?.VoiceFormat).toBe(format);
  });

  it('of unknown bytes is the given one, that of the file name, or wav', async () => {
    const audio = Buffer.alloc(3_200, 1);
    await run({ audio, format: 'pcm' });
    await run({ audio, filename: 'clip.PCM' });
    await run({ audio, filename: 'clip.txt' });
    await run({ audio });
    await run({ audio, format: '', filename: 'clip.pcm' });
    expect(cloud.received.map(({ VoiceFormat }) => VoiceFormat)).toEqual(['pcm', 'pcm', 'wav', 'wav', 'pcm']);
  });

  it('of the bytes wins over the given one, with a warning', async () => {
    await run({ audio: makeMp3(1), format: 'wav' });
    expect(cloud.received[0]?.VoiceFormat).toBe('mp3');
    expect(warnings).toEqual(['The format was given as wav, but the audio is mp3']);
  });

  it.each([
    ['flac by name, whatever the bytes are', { audio: makeWav(1), format: 'flac' }],
    ['Ogg', { audio: Buffer.from('OggS and more') }],
    ['FLAC', { audio: Buffer.from('fLaC and more'), format: 'wav' }],
    ['an MP4 video', { audio: makeMp4('isom') }],
    ['WebM', { audio: Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0, 0]) }],
    ['AVI', { audio: Buffer.from('RIFF\0\0\0\0AVI LIST') }],
  ])('%s is not supported', async (_, input) => {
    expect(await failureOf(input)).toMatch(/^UNSUPPORTED_FORMAT: .*Supported are wav, mp3, m4a, pcm, aac$/);
    expect(cloud.received).toEqual([]);
  });
});

describe('the language', () => {
  it.each([
    ['zh-CN', '16k_zh'],
    ['en-US', '16k_en'],
    ['ja-JP', '16k_ja'],
    ['ko-KR', '16k_ko'],
    ['es-ES', '16k_es'],
    ['fr-FR', '16k_fr'],
    ['de-DE', '16k_de'],
  ])('%s uses the engine %s', async (language, engine) => {
    expect(await run({ language })).toMatchObject({ success: true, language });
    expect(cloud.received[0]?.EngSerViceType).toBe(engine);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['zh-TW', '16k_zh-TW'],
    ['ru-RU', '16k_ru'],
  ])(
    '%s uses the engine %s, which the provider does not document, with a warning',
    async (language, engine) => {
      await run({ language });
      expect(cloud.received[0]?.EngSerViceType).toBe(engine);
      expect(warnings[0]).toContain('does not document an engine');
    },
  );

  it('outside of the nine uses the default engine, with a warning', async () => {
    await run({ language: 'pt-BR' });
    expect(cloud.received[0]?.EngSerViceType).toBe('16k_zh');
    expect(warnings[0]).toContain('The language pt-BR is not one of');
  });

  it('chooses the engine, unless one was configured', async () => {
    expect(await run({}, { defaultLanguage: 'en-US' })).toMatchObject({ success: true, language: 'en-US' });
    await run({ language: 'pt-BR' }, { defaultLanguage: 'ja-JP' });
    await run({}, { defaultLanguage: 'pt-BR' });
    expect(cloud.received.map(({ EngSerViceType }) => EngSerViceType)).toEqual([
      '16k_en',
      '16k_ja',
      '16k_zh',
    ]);
  });

  it('has a configured default, for which the configured engine is used', async () => {
    const changes = { defaultLanguage: 'en-US', engineType: '16k_en_large' };
    expect(await run({}, changes)).toMatchObject({ language: 'en-US' });
    await run({ language: 'zh-CN' }, changes);
    expect(cloud.received.map(({ EngSerViceType }) => EngSerViceType)).toEqual(['16k_en_large', '16k_zh']);
  });
});

it('sends at most 3 MB after base64', async () => {
  const most = Buffer.alloc((3 * 1024 * 1024 * 3) / 4);
  const limits = { maxDuration: 60 };
  expect(await run({ audio: most }, limits)).toMatchObject({ success: true });
  expect(await failureOf({ audio: Buffer.concat([most, Buffer.alloc(1)]) }, limits)).toBe(
    'FILE_TOO_LARGE: The audio has 3145732 bytes in base64, and the provider takes at most 3145728',
  );
  expect(cloud.received).toHaveLength(1);
});

it('ignores realtime, with a warning', async () => {
  expect(await run({ realtime: true })).toMatchObject({ success: true });
  expect(warnings).toEqual(['realtime is ignored: the tool recognizes one sentence at a time']);
});

describe('a failure of the provider', () => {
  it.each([
    [
      'AuthFailure.SecretIdNotFound',
      'INVALID_CREDENTIALS: The provider rejects secretId or secretKey (AuthFailure.SecretIdNotFound)',
    ],
    [
      'UnauthorizedOperation',
      'INVALID_CREDENTIALS: The key needs permission for the action asr:SentenceRecognition (UnauthorizedOperation)',
    ],
    [
      'InvalidParameterValue.ErrorInvalidVoiceFormat',
      'UNSUPPORTED_FORMAT: The provider does not support the format (InvalidParameterValue.ErrorInvalidVoiceFormat)',
    ],
    [
      'InvalidParameterValue.ErrorVoicedataTooLong',
      'AUDIO_TOO_LONG: The provider says that the audio is too long (InvalidParameterValue.ErrorVoicedataTooLong)',
    ],
    ['InvalidParameter', 'INVALID_INPUT: The provider rejects the request (InvalidParameter)'],
    [
      'FailedOperation.UserHasNoAmount',
      'NETWORK_ERROR: The account with the provider has no credit left (FailedOperation.UserHasNoAmount)',
    ],
    [
      'RequestLimitExceeded.UinLimitExceeded',
      'NETWORK_ERROR: The provider limits the rate of calls: try again later (RequestLimitExceeded.UinLimitExceeded)',
    ],
    [
      'InvalidParameterValue.NoHumanVoice',
      'INVALID_INPUT: The provider hears no voice in the audio (InvalidParameterValue.NoHumanVoice)',
    ],
    [
      'InternalError',
      expect.stringMatching(
        /^NETWORK_ERROR: The provider at 127\.0\.0\.1:\d+ cannot be reached or has failed \(InternalError\)$/,
      ),
    ],
  ])('%s is %s', async (code, error) => {
    cloud.failure = code;
    expect(await failureOf({ sessionId: 's' })).toEqual(error);
  });

  it('is INVALID_CREDENTIALS for a wrong key', async () => {
    expect(await failureOf({}, { secretKey: 'x'.repeat(20) })).toContain(
      'INVALID_CREDENTIALS: The provider rejects',
    );
  });

  it('is NETWORK_ERROR if it cannot be reached', async () => {
    cloud.stop();
    expect(await failureOf({})).toMatch(
      /^NETWORK_ERROR: The provider at \S+ cannot be reached or has failed/,
    );
  });

  it('is NETWORK_ERROR after the timeout', async () => {
    cloud.isSilent = true;
    expect(await failureOf({}, { timeout: 5_000 })).toBe(
      'NETWORK_ERROR: The provider did not respond within 5000 ms',
    );
  });
});

describe('an injected fetch', () => {
  const requests: { url: string; request: SpeechFetchRequest }[] = [];
  const provider = new TencentSpeechProvider({
    fetch: (url, request) => {
      requests.push({ url, request });
      return fetch(url, request);
    },
  });
  const recognizeWith = (changes: SpeechConfig = {}) =>
    recognize({ audio: makeWav(1) }, { ...config, ...changes }, { provider });
  beforeEach(() => (requests.length = 0));

  it('sends the bytes that are signed, for the host that is signed', async () => {
    expect(await recognizeWith()).toMatchObject({ success: true, text: '你好 world' });
    const { endpoint = '' } = config;
    const [{ url, request } = { url: '', request: null }] = requests;
    expect(requests).toHaveLength(1);
    expect(url).toBe(`http://${endpoint}/`);
    expect(request).toMatchObject({ method: 'POST', timeoutMs: 60_000, signal: { aborted: false } });
    expect(request?.headers).not.toHaveProperty('Host');
    expect(JSON.parse(Buffer.from(request?.body ?? []).toString())).toEqual(cloud.received[0]);
    expect(cloud.regions).toEqual(['ap-guangzhou']);
    expect(await recognizeWith({ secretKey: 'x'.repeat(20) })).toMatchObject({
      error: expect.stringContaining('INVALID_CREDENTIALS: The provider rejects secretId or secretKey'),
    });
  });

  it('sends the same headers as the connection of the SDK', async () => {
    const namesOf = async (options: Parameters<typeof recognize>[2]) => {
      await recognize({ audio: makeWav(1) }, config, options);
      const names = Object.keys(cloud.headers.at(-1) ?? {});
      return names.filter((name) => /^(authorization|content-|host|x-)/.test(name)).sort();
    };
    expect(await namesOf({ provider })).toEqual(await namesOf({}));
    const [injected, own] = cloud.headers;
    expect(injected?.host).toBe(own?.host);
  });

  it.each([
    ['a status other than 200', 302, 'application/json', '{"Response":{"Result":"x"}}'],
    ['no JSON', 200, 'application/json', '<html>'],
    ['no response', 200, 'application/json', '{}'],
    ['a stream of events', 200, 'text/event-stream', 'data: {}'],
  ])('fails for %s', async (_, status, type, body) => {
    cloud.answer = (res) => res.writeHead(status, { 'Content-Type': type }).end(body);
    expect(await recognizeWith()).toMatchObject({ error: expect.stringMatching(/^NETWORK_ERROR: /) });
  });
});

it.each([
  ['an injected fetch', new TencentSpeechProvider({ fetch })],
  ['the connection of the SDK', new TencentSpeechProvider()],
])('a timeout aborts the request of %s', async (_, provider) => {
  cloud.isSilent = true;
  // Less than an admin can configure.
  const brief = completeConfig({ ...config, timeout: 200 });
  await expect(
    provider.recognize({ bytes: makeWav(1), format: 'wav', engine: '16k_zh' }, brief),
  ).rejects.toMatchObject({
    code: 'NETWORK_ERROR',
    message: 'The provider did not respond within 200 ms',
  });
  await cloud.closed.promise;
});

describe('the configuration', () => {
  it.each([
    [
      { secretId: 'wrong', endpoint: '' },
      'secretId must begin with AKID: set CLOUD_SECRET_ID, or configure it on the page of the tool',
    ],
    [
      { secretId: '', endpoint: 'asr.internal' },
      'secretId must begin with AKID: configure it on the page of the tool, because CLOUD_SECRET_ID is not sent to the endpoint asr.internal',
    ],
    [
      { secretKey: 'x'.repeat(19), endpoint: '' },
      'secretKey must have at least 20 characters: set CLOUD_SECRET_KEY, or configure it on the page of the tool',
    ],
    [{ timeout: 4_999 }, 'timeout must be at least 5000 ms'],
    [{ timeout: 300_001 }, 'timeout must be at most 300000 ms'],
    [{ maxFileSize: 5_242_881 }, 'maxFileSize must be at most 5242880 bytes, the limit of the tool'],
    [{ maxDuration: 61 }, 'maxDuration must be at most 60 seconds, the limit of the tool'],
  ])('%j is invalid', async (changes, problem) => {
    expect(listConfigProblems({ ...config, ...changes })).toEqual([problem]);
    const code = problem.startsWith('secret') ? 'INVALID_CREDENTIALS' : 'INVALID_INPUT';
    expect(await failureOf({}, changes)).toBe(`${code}: ${problem}`);
    expect(cloud.received).toEqual([]);
  });

  it('has defaults for everything but the credentials', () => {
    expect(listConfigProblems({ secretId: SECRET_ID, secretKey: SECRET_KEY })).toEqual([]);
    expect(listConfigProblems({})).toHaveLength(2);
  });
});
