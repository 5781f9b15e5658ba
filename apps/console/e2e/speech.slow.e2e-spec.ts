import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { CloudServer, SECRET_ID, SECRET_KEY } from '../../../libs/speech/test/cloud-server.ts';
import { makeMp3, makeWav } from '../../../libs/speech/test/test-audio.ts';
import {
  complaintsOf,
  describeInBrowser,
  DESK,
  launchBrowser,
  newConsoleContext,
  overflows,
  PHONE,
  runConsole,
  settled,
  signIn,
  violations,
} from './browser.ts';

const PAGE = '/tools/speech_recognition';
/** A microphone that beeps. Without windows, Chromium can ask nobody: flags answer for all pages. */
const BEEPING = ['--use-fake-device-for-media-stream'];

describeInBrowser('the page of speech recognition in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started), {
    flags: [...BEEPING, '--use-fake-ui-for-media-stream'],
  });
  let cloud: CloudServer;
  let endpoint: string;

  beforeAll(async () => {
    cloud = new CloudServer();
    endpoint = await cloud.start();
  });
  afterEach(async () => {
    cloud.failure = null;
    cloud.received.length = 0;
  });
  afterAll(async () => {
    cloud.stop();
  });

  const configure = () =>
    app
      .client()
      .tools.updateSpeech({ secretId: SECRET_ID, secretKey: SECRET_KEY, endpoint, protocol: 'http' });

  const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  async function chooseClip(page: Page, name: string, buffer: Buffer): Promise<void> {
    const trial = card(page, 'Try it');
    await trial.getByLabel('Choose file').setInputFiles({ name, mimeType: 'audio/wav', buffer });
    await trial.getByText(name, { exact: true }).waitFor();
  }

  const recognize = (page: Page) => card(page, 'Try it').getByRole('button', { name: 'Recognize' }).click();

  it('shows what is missing, takes credentials that it never shows again, and removes them', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto(PAGE);
    await settled(page);
    const status = card(page, 'Status');
    await status.getByText('Not ready').waitFor();
    await status.getByText('secretId must begin with AKID').waitFor();
    expect(await violations(page, 'not configured')).toEqual([]);

    const form = card(page, 'Configuration');
    await form.getByLabel('Secret id').fill('wrong');
    await form.getByLabel('Secret key').fill(SECRET_KEY);
    await form.getByLabel('Endpoint').fill(endpoint);
    await form.getByRole('button', { name: 'Save' }).click();
    await status.getByText('Stored in this space').waitFor();
    await status.getByText('secretId must begin with AKID').waitFor();
    // Both secrets are needed to change the endpoint, but not to correct one of them.
    await form.getByLabel('Secret id').fill(SECRET_ID);
    await form.getByRole('button', { name: 'Save' }).click();
    await status.getByText('Ready', { exact: true }).waitFor();
    expect(await form.getByLabel('Secret key').inputValue()).toBe('');
    expect(await page.content()).not.toContain(SECRET_KEY);

    await form.getByLabel('Endpoint').fill('asr.example.com');
    await form.getByLabel('Region').fill('ap-shanghai');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('must be sent again').waitFor();
    await form.getByLabel('Endpoint').fill(endpoint);
    await form.getByRole('button', { name: 'Save' }).click();
    await status.getByText('ap-shanghai').waitFor();
    expect(await app.client().tools.getSpeech()).toMatchObject({
      endpoint,
      region: 'ap-shanghai',
      credentials: 'space',
      problems: [],
    });
    expect(await violations(page, 'configured')).toEqual([]);

    await form.getByRole('button', { name: 'Remove credentials' }).click();
    const question = page.getByRole('dialog', { name: 'Remove the credentials?' });
    await question.getByRole('button', { name: 'Remove credentials' }).click();
    await status.getByText('Not set').waitFor();
    expect(await app.client().tools.getSpeech()).toMatchObject({
      credentials: 'none',
      region: 'ap-shanghai',
    });
    // The rejected change of the endpoint is the only complaint.
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
  });

  it('recognizes a clip from a file, and says what helps if that fails', async () => {
    await configure();
    const page = await newPage();
    await page.goto(PAGE);
    const audio = makeWav(1);
    await chooseClip(page, 'hello.wav', audio);
    await card(page, 'Try it').getByLabel('Language').fill('en-US');
    await card(page, 'Try it').getByLabel('Language').press('Enter');
    await recognize(page);
    await page.getByRole('region', { name: 'Recognized text' }).getByText('你好 world').waitFor();
    expect(cloud.received).toMatchObject([
      { EngSerViceType: '16k_en', VoiceFormat: 'wav', Data: audio.toString('base64') },
    ]);
    await card(page, 'Try it').getByText('32 kB').first().waitFor();
    expect(await violations(page, 'recognized')).toEqual([]);

    // The bytes tell that it is no wav.
    await chooseClip(page, 'renamed.wav', makeMp3(1));
    await page.getByRole('region', { name: 'Recognized text' }).waitFor({ state: 'detached' });
    await recognize(page);
    await page.getByRole('region', { name: 'Recognized text' }).waitFor();
    expect(cloud.received.at(-1)).toMatchObject({ VoiceFormat: 'mp3' });

    const failsWith = async (title: string, code: string, remedy: string) => {
      await recognize(page);
      const failure = page.getByRole('alert');
      await failure.getByText(title).waitFor();
      await failure.getByText(code, { exact: true }).waitFor();
      await failure.getByText(remedy).waitFor();
    };
    await chooseClip(page, 'long.wav', makeWav(61));
    await failsWith('The clip is too long', 'AUDIO_TOO_LONG', 'Cut the clip');
    await chooseClip(page, 'song.ogg', Buffer.from('OggS\0\0\0\0\0\0\0\0', 'latin1'));
    await failsWith('The format is not supported', 'UNSUPPORTED_FORMAT', 'Convert the clip');
    await chooseClip(page, 'hello.wav', audio);
    cloud.failure = 'AuthFailure.SecretIdNotFound';
    await failsWith('The credentials are wrong', 'INVALID_CREDENTIALS', 'Check the secret id');
    cloud.failure = 'InternalError';
    await failsWith('The provider did not respond', 'NETWORK_ERROR', 'Check region');
    expect(await violations(page, 'failed')).toEqual([]);

    await chooseClip(page, 'large.wav', Buffer.alloc(5_242_881));
    await page.getByRole('alert').getByText('larger than 5 MB').waitFor();
    expect(await card(page, 'Try it').getByRole('button', { name: 'Recognize' }).isDisabled()).toBe(true);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    await page.setViewportSize(DESK);
  });

  it('records the microphone as WAV with a running time, up to the longest clip', async () => {
    await configure();
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto(PAGE);
    const trial = card(page, 'Try it');
    await trial.getByRole('button', { name: 'Record' }).click();
    await trial
      .getByRole('timer')
      .getByText(/^0:(0[1-9]|[1-5]\d) \/ 1:00$/)
      .waitFor();
    expect(await violations(page, 'recording')).toEqual([]);
    await trial.getByRole('button', { name: 'Stop' }).click();
    await trial.getByText('recording.wav', { exact: true }).waitFor();
    await recognize(page);
    await page.getByRole('region', { name: 'Recognized text' }).getByText('你好 world').waitFor();
    const [received] = cloud.received;
    const wav = Buffer.from(received?.Data ?? '', 'base64');
    expect(received?.VoiceFormat).toBe('wav');
    expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([1, 16_000, 16]);
    expect(wav.length).toBeGreaterThan(32_000);
    // The fake microphone beeps, so this is no silence.
    expect(new Set(wav.subarray(44)).size).toBeGreaterThan(10);

    await app.client().tools.updateSpeech({ endpoint, protocol: 'http', maxDuration: 1.5 });
    await page.reload();
    await trial.getByRole('button', { name: 'Record' }).click();
    await trial.getByText('recording.wav', { exact: true }).waitFor();
    await recognize(page);
    await page.getByRole('region', { name: 'Recognized text' }).waitFor();
    expect(Buffer.from(cloud.received.at(-1)?.Data ?? '', 'base64').length).toBe(44 + 48_000);
    expect(complaints).toEqual([]);
  });

  it('explains that the microphone is not allowed, and shows members no configuration', async () => {
    await configure();
    const denying = await launchBrowser([...BEEPING, '--use-fake-ui-for-media-stream=deny']);
    const page = await (await newConsoleContext(denying, app.url)).newPage();
    await signIn(page, app.admin);
    await page.goto(PAGE);
    await card(page, 'Try it').getByRole('button', { name: 'Record' }).click();
    await page.getByRole('alert').getByText('The microphone is not allowed').waitFor();
    await page.getByRole('alert').getByText('site settings of your browser').waitFor();
    expect(await violations(page, 'denied')).toEqual([]);
    await denying.close();

    const member = await newConsoleContext(browser, app.url);
    const theirs = await member.newPage();
    await signIn(theirs, app.member);
    await theirs.goto(PAGE);
    await card(theirs, 'Status').getByText('Ready', { exact: true }).waitFor();
    await card(theirs, 'Try it').waitFor();
    expect(await card(theirs, 'Configuration').count()).toBe(0);
    await member.close();
  });
});
