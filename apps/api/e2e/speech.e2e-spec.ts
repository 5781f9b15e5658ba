import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { SpeechToolConfiguration, ToolInvocation, UpdateSpeechToolRequest } from '@platform/contracts';
import { CloudServer, SECRET_ID, SECRET_KEY } from '../../../libs/speech/test/cloud-server.ts';
import { makeMp3, makeMp4, makeWav } from '../../../libs/speech/test/test-audio.ts';
import { startEchoServer } from './fixtures/echo-server.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type RequestInit } from './harness/app.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const recognize = (input: object, init: RequestInit = {}) =>
  app.request<ToolInvocation>('POST', '/api/tools/speech_recognition/methods/recognize/invoke', {
    body: { input },
    ...init,
  });

const secretId = 'AKIDcanary0123456789abcdef';
const secretKey = 'canary-secret-key-0123456789';
const get = (as = app.admin) => app.request<SpeechToolConfiguration>('GET', '/api/tools/speech', { as });
const put = (body: UpdateSpeechToolRequest, as = app.admin) =>
  app.request<SpeechToolConfiguration>('PUT', '/api/tools/speech', { as, body });

verifies('speech-tool.configuration', 'shows its defaults and problems, never its secrets', async () => {
  expect((await get(app.member)).body).toEqual({
    region: 'ap-guangzhou',
    engineType: null,
    timeout: 60_000,
    maxFileSize: 5_242_880,
    maxDuration: 60,
    defaultLanguage: 'zh-CN',
    endpoint: null,
    protocol: 'https',
    appId: null,
    credentials: 'none',
    problems: [expect.stringContaining('AKID'), expect.stringContaining('20 characters')],
  });
  expect((await put({}, app.member)).status).toBe(403);
  const set = await put({ secretId, secretKey, defaultLanguage: 'en-US' });
  expect(set.body).toMatchObject({ credentials: 'space', defaultLanguage: 'en-US', problems: [] });
  const kept = await put({ timeout: 10_000 });
  expect(kept.body).toMatchObject({ credentials: 'space', defaultLanguage: 'zh-CN', timeout: 10_000 });
  const moved = await put({ endpoint: 'asr.example.com' });
  expect([moved.status, moved.text]).toEqual([400, expect.stringContaining('sent again')]);
  await app.sql(`update tool_configuration set secret = 'v1.AAAA'`);
  expect((await get()).body).toMatchObject({ problems: [expect.any(String), expect.any(String)] });
  expect((await put({ secretId, secretKey })).body).toMatchObject({ credentials: 'space', problems: [] });
  const wrong = await put({ timeout: 1, maxDuration: 61 });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/timeout.*maxDuration/)]);
  const stored = JSON.stringify(await app.sql('select * from tool_configuration'));
  const audit = (await app.request('GET', '/api/audit')).text;
  for (const text of [set.text, kept.text, (await get()).text, stored, audit]) {
    expect(text).not.toContain(secretId);
    expect(text).not.toContain(secretKey);
  }
  expect((await get(app.outsider)).body.credentials).toBe('none');
});

verifies('speech-tool.calls', 'is called by people, agents, and steps', async () => {
  const as = await app.addUser('ADMIN', null);
  const audio = Buffer.alloc(3_200).toString('base64');
  const without = await recognize({ audio, format: 'pcm' }, { as });
  const failure = { success: false, failed: true, provider: 'tencent', sessionId: null };
  expect(without.body).toMatchObject({
    status: 200,
    output: { ...failure, error: expect.stringMatching(/^INVALID_CREDENTIALS: /) },
  });
  const answered = { Response: { Result: 'Hello', AudioDuration: 1, RequestId: 'r' } };
  // A private deployment on an address that is not allowed is not called.
  const forbidden = await startEchoServer(answered, '127.0.0.2');
  await put({ secretId, secretKey, endpoint: new URL(forbidden.url).host, protocol: 'http' }, as);
  const blocked = await recognize({ audio, format: 'pcm' }, { as });
  expect(blocked.body.output).toMatchObject({
    ...failure,
    error: expect.stringMatching(/^NETWORK_ERROR: /),
  });
  expect(forbidden.requests).toEqual([]);
  const place = `The provider at ${new URL(forbidden.url).host} cannot be reached or has failed`;
  expect(blocked.body.output).toMatchObject({ error: `NETWORK_ERROR: ${place}` });
  const { body: seen } = await app.request<SpeechToolConfiguration>('GET', '/api/tools/speech');
  await put({ secretId, secretKey, endpoint: new URL(forbidden.url).host, protocol: 'http' });
  const told = await recognize({ audio, format: 'pcm' });
  const setting = 'The address is not public: PLATFORM_ALLOWED_PRIVATE_HOSTS allows it';
  expect(told.body.output).toMatchObject({ error: `NETWORK_ERROR: ${place}. ${setting}` });
  await put({ secretId, secretKey });
  expect(seen.endpoint).toBeNull();
  await forbidden.close();
  const provider = await startEchoServer(answered);
  const endpoint = new URL(provider.url).host;
  await put({ secretId, secretKey, endpoint, protocol: 'http' }, as);
  const spoken = await recognize({ audio, format: 'pcm' }, { as });
  const success = { success: true, text: 'Hello', confidence: 0.85, method: 'sentence', audioSize: 3_200 };
  expect(spoken.body.output).toMatchObject(success);
  expect(provider.requests.at(-1)?.headers.authorization).toMatch(/^TC3-HMAC-SHA256 Credential=AKID/);
  const step = { toolId: 'speech_recognition', method: 'recognize', input: { audio, format: 'pcm' } };
  const run = await new RunCalls(app, as).result([{ id: 'hear', kind: 'tool', ...step }]);
  expect(run).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { output: success } }] });
  const made = await app.client(as).agents.create({
    name: 'A',
    model: 'platform/offline',
    systemPrompt: 'Hear.',
    tools: [{ toolId: 'speech_recognition', methods: null }],
  });
  const agent = new AgentCalls(app, made.id, as);
  const { body } = await agent.json({
    contents: said(`/call speech_recognition.recognize ${JSON.stringify(step.input)}`),
  });
  expect(body.toolExecutions).toMatchObject([{ status: 'succeeded', result: success }]);
  const wav = `data:audio/wav;base64,${makeWav(0.25).toString('base64')}`;
  const session = randomUUID();
  await agent.json({
    session_id: session,
    contents: [{ type: 'audio', audio_url: { url: wav } }],
  });
  const parts = (await agent.messages(session)).flatMap(({ contents }) => contents);
  const attachment = parts.flatMap((part) => ('attachment' in part && part.attachment?.id) || [])[0] ?? '';
  const hear = (id: string) =>
    agent.json({
      session_id: session,
      contents: said(`/call speech_recognition.recognize {"audio":"attachment:${id}"}`),
    });
  const heard = await hear(attachment);
  expect(heard.body.toolExecutions).toMatchObject([{ result: { success: true, audioSize: 8_044 } }]);
  const unknown = await hear(UNKNOWN_ID);
  expect(unknown.body.toolExecutions).toMatchObject([{ status: 'failed', error: { code: 'TOOL_ERROR' } }]);
  await provider.close();
});

describe('bad input', () => {
  const ogg = Buffer.from('OggS\0\x02\0\0\0\0\0\0\0\0', 'latin1');
  const encode = (bytes: Buffer) => bytes.toString('base64');
  const BAD: [string, object, string][] = [
    ['61 seconds', { audio: encode(makeMp3(61)) }, 'AUDIO_TOO_LONG: The audio has 61.0 seconds'],
    ['ogg', { audio: encode(ogg) }, 'UNSUPPORTED_FORMAT: The audio is Ogg'],
    ['ogg as wav', { audio: encode(ogg), format: 'wav' }, 'UNSUPPORTED_FORMAT: The audio is Ogg'],
    ['a video', { audio: encode(makeMp4('isom')) }, 'UNSUPPORTED_FORMAT: The audio is an MP4 video'],
    ['format flac', { audio: encode(makeWav(1)), format: 'flac' }, 'UNSUPPORTED_FORMAT: The format flac'],
    ['no base64', { audio: '*' }, 'INVALID_INPUT: audio must be valid base64'],
  ];

  let cloud: CloudServer;
  beforeAll(async () => {
    cloud = new CloudServer();
    const endpoint = await cloud.start();
    await put({ secretId: SECRET_ID, secretKey: SECRET_KEY, endpoint, protocol: 'http' });
  });
  afterAll(() => cloud.stop());

  /** The output of a call, and that of a task step with the same input. */
  async function failures(input: object): Promise<unknown[]> {
    const called = await recognize(input);
    expect([called.status, called.body.status]).toEqual([200, 200]);
    const runs = new RunCalls(app);
    const fields = Object.keys(input).map((name) => [name, `{{inputs.${name}}}`]);
    const step = { toolId: 'speech_recognition', method: 'recognize', input: Object.fromEntries(fields) };
    const task = await runs.createTask([{ id: 'hear', kind: 'tool', ...step }]);
    const run = await runs.reached(await runs.start(task, { ...input }));
    // A failure is an output: the next step can react to it.
    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: [{ status: 'SUCCEEDED' }] });
    return [called.body.output, (run.steps[0]?.output as ToolInvocation).output];
  }

  const failure = (error: string) => ({
    success: false,
    error: expect.stringContaining(error),
    provider: 'tencent',
    processedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    sessionId: null,
    failed: true,
  });

  describe.each(BAD)('%s', (_, input, error) => {
    verifies('speech-tool.failures', 'is named by its code, in a call and in a step', async () => {
      expect(await failures(input)).toEqual([failure(error), failure(error)]);
      expect(cloud.received).toEqual([]);
    });
  });

  verifies(
    'speech-tool.failures',
    'of one byte over 5 MB is named; a step cannot store so much',
    async () => {
      const input = { audio: encode(Buffer.alloc(5_242_881)) };
      const { body } = await recognize(input);
      expect(body.output).toEqual(failure('FILE_TOO_LARGE: The audio has 5242881 bytes'));
      const step = {
        toolId: 'speech_recognition',
        method: 'recognize',
        input: { audio: '{{inputs.audio}}' },
      };
      const runs = new RunCalls(app);
      const task = await runs.createTask([{ id: 'hear', kind: 'tool', ...step }]);
      const run = await runs.reached(await runs.start(task, input));
      expect(run).toMatchObject({ status: 'FAILED', error: { message: expect.stringContaining('1048576') } });
    },
  );

  verifies('speech-tool.failures', 'of the configuration and of the provider are named, too', async () => {
    const input = { audio: encode(makeWav(0.1)) };
    const { endpoint } = (await get()).body;
    await put({ secretId: SECRET_ID, secretKey: 'x'.repeat(20), endpoint, protocol: 'http' });
    const rejected = failure('INVALID_CREDENTIALS: The provider rejects secretId or secretKey');
    expect(await failures(input)).toEqual([rejected, rejected]);
    cloud.stop();
    const unreachable = failure(`NETWORK_ERROR: The provider at ${endpoint} cannot be reached or has failed`);
    expect(await failures(input)).toEqual([unreachable, unreachable]);
  });
});

describe('an endpoint', () => {
  const input = { audio: Buffer.alloc(3_200).toString('base64'), format: 'pcm' };
  let cloud: CloudServer;
  let endpoint: string;
  beforeEach(async () => {
    cloud = new CloudServer();
    endpoint = await cloud.start();
    const config = { secretId: SECRET_ID, secretKey: SECRET_KEY, timeout: 5_000 };
    await put({ ...config, endpoint, protocol: 'http' });
  });
  afterEach(() => cloud.stop());

  const recognized = async () => (await recognize(input)).body.output;
  const failed = () => ({
    success: false,
    error: `NETWORK_ERROR: The provider at ${endpoint} cannot be reached or has failed`,
  });

  verifies('speech-tool.calls', 'receives a request with a valid signature', async () => {
    expect(await recognized()).toMatchObject({ success: true, text: '你好 world', audioSize: 3_200 });
    expect(cloud.received).toEqual([
      { EngSerViceType: '16k_zh', SourceType: 1, VoiceFormat: 'pcm', Data: input.audio, DataLen: 3_200 },
    ]);
    expect(cloud.headers).toMatchObject([{ host: endpoint, 'content-type': 'application/json' }]);
  });

  // The second address is not allowed, the first is.
  describe.each(['127.0.0.1', '127.0.0.2'])('that redirects to %s', (host) => {
    verifies('speech-tool.failures', 'is not followed', async () => {
      const inside = await startEchoServer({ Response: { Result: 'inside', RequestId: 'r' } }, host);
      for (const status of [302, 307]) {
        cloud.answer = (res) => res.writeHead(status, { Location: inside.url }).end();
        expect(await recognized()).toMatchObject(failed());
      }
      expect(cloud.received).toHaveLength(2);
      expect(inside.requests).toEqual([]);
      await inside.close();
    });
  });

  verifies('speech-tool.failures', 'that answers with a bomb is cut off', async () => {
    const bomb = gzipSync(JSON.stringify({ Response: { Result: 'x'.repeat(5_000_000), RequestId: 'r' } }));
    expect(bomb.length).toBeLessThan(100_000);
    cloud.answer = (res) =>
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(bomb);
    expect(await recognized()).toMatchObject(failed());
  });

  verifies('speech-tool.failures', 'that never stops to answer is cut off', async () => {
    const closed = Promise.withResolvers<void>();
    cloud.answer = (res) => {
      // Slow enough not to fill the memory of a reader without a limit.
      const timer = setInterval(() => res.write('x'.repeat(100_000)), 10);
      res.once('close', () => {
        clearInterval(timer);
        closed.resolve();
      });
    };
    expect(await recognized()).toMatchObject(failed());
    await closed.promise;
  });
});
