import { SPEECH_FORMATS, type SpeechFormat } from '@platform/contracts';
import { detectFormat, formatOfName, isAudioFormat } from './audio-format.ts';
import type { AudioMetadata } from './metadata-thread.ts';
import { readMetadata } from './metadata.ts';
import { SpeechError, type SpeechInput } from './types.ts';

/** PCM of 16 kHz with 16 bits and one channel. */
const PCM_BYTES_PER_SECOND = 32_000;
/** What rounding and padding of encoders add. */
const DURATION_TOLERANCE_SECONDS = 0.05;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

export interface Audio {
  bytes: Buffer;
  format: SpeechFormat;
  warnings: string[];
}

/** Decodes and checks the audio of a call. Throws a SpeechError. */
export async function readAudio(
  input: SpeechInput,
  limits: { maxFileSize: number; maxDuration: number },
): Promise<Audio> {
  const bytes = decode(input.audio, limits.maxFileSize);
  if (bytes.length === 0) throw new SpeechError('INVALID_INPUT', 'audio must not be empty');
  const warnings: string[] = [];
  let reading: Promise<AudioMetadata | undefined> | undefined;
  const metadata = () => (reading ??= readMetadata(bytes));
  const format = await chooseFormat(input, bytes, metadata, warnings);
  const seconds = format === 'pcm' ? bytes.length / PCM_BYTES_PER_SECOND : (await metadata())?.duration;
  if (seconds !== undefined && seconds > limits.maxDuration + DURATION_TOLERANCE_SECONDS) {
    throw new SpeechError(
      'AUDIO_TOO_LONG',
      `The audio has ${seconds.toFixed(1)} seconds, and at most ${limits.maxDuration} are allowed`,
    );
  }
  return { bytes, format, warnings };
}

/** The size is checked before the text is decoded. */
function decode(audio: unknown, maxBytes: number): Buffer {
  if (Buffer.isBuffer(audio) || audio instanceof Uint8Array) {
    const bytes = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength);
    assertSize(bytes.length, maxBytes);
    return bytes;
  }
  if (typeof audio !== 'string') {
    throw new SpeechError('INVALID_INPUT', 'audio must be a base64 string or a buffer');
  }
  const comma = audio.startsWith('data:') ? audio.indexOf(',') : -1;
  // Line breaks add a little, which is counted generously before they are removed.
  assertSize(
    Math.floor(((audio.length - comma - 1) * 3) / 4) - Math.ceil(audio.length / 64) * 2 - 2,
    maxBytes,
  );
  const base64 = audio.slice(comma + 1).replace(/\s+/g, '');
  if (!BASE64.test(base64) || base64.replace(/=+$/, '').length % 4 === 1) {
    throw new SpeechError('INVALID_INPUT', 'audio must be valid base64');
  }
  const padding = /=*$/.exec(base64)?.[0].length ?? 0;
  assertSize(Math.floor(((base64.length - padding) * 3) / 4), maxBytes);
  return Buffer.from(base64, 'base64');
}

function assertSize(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) {
    throw new SpeechError(
      'FILE_TOO_LARGE',
      `The audio has ${bytes} bytes, and at most ${maxBytes} are allowed`,
    );
  }
}

async function chooseFormat(
  { format: given, filename }: SpeechInput,
  bytes: Buffer,
  readOnce: () => Promise<AudioMetadata | undefined>,
  warnings: string[],
): Promise<SpeechFormat> {
  // Empty, as of a field that nobody has filled in, is none, like an empty language.
  const wanted = given?.toLowerCase().replace(/^\./, '') || null;
  if (wanted !== null && !isAudioFormat(wanted)) {
    throw unsupported(`The format ${wanted.slice(0, 20)} is not supported`);
  }
  const detected = detectFormat(bytes);
  if (detected === 'mp4') {
    const metadata = await readOnce();
    // A container without readable tracks may be anything.
    if (metadata?.hasAudio !== true || metadata.hasVideo === true)
      throw unsupported('The audio is an MP4 video');
    return agree('m4a', wanted, warnings);
  }
  if (detected !== null && typeof detected === 'object') throw unsupported(`The audio is ${detected.other}`);
  if (detected !== null) return agree(detected, wanted, warnings);
  return wanted ?? formatOfName(filename) ?? 'wav';
}

/** Bytes win over what the caller says. */
function agree(detected: SpeechFormat, wanted: SpeechFormat | null, warnings: string[]): SpeechFormat {
  if (wanted !== null && wanted !== detected) {
    warnings.push(`The format was given as ${wanted}, but the audio is ${detected}`);
  }
  return detected;
}

function unsupported(reason: string): SpeechError {
  return new SpeechError('UNSUPPORTED_FORMAT', `${reason}. Supported are ${SPEECH_FORMATS.join(', ')}`);
}
