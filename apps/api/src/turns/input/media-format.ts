/** Detects formats by the first bytes of files, because names and declared types are unreliable. */

export type AudioFormat = 'wav' | 'mp3';

export const AUDIO_MIMES: Record<AudioFormat, string> = { wav: 'audio/wav', mp3: 'audio/mpeg' };

/** The MIME type of an image, or null if models do not support it. */
export function imageMimeOf(bytes: Buffer): string | null {
  if (startsWith(bytes, '\x89PNG')) return 'image/png';
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 'GIF8')) return 'image/gif';
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
  if (startsWith(bytes, 'ftypavif', 4)) return 'image/avif';
  if (startsWith(bytes, 'ftyphei', 4)) return 'image/heic';
  return null;
}

/** The format of a recording: WAV or MP3, which OpenAI's API supports; otherwise null. */
export function audioFormatOf(bytes: Buffer): AudioFormat | null {
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WAVE', 8)) return 'wav';
  return startsWith(bytes, 'ID3') || isMp3Frame(bytes) ? 'mp3' : null;
}

/** A frame of MPEG audio, layer III: eleven sync bits, a version, the layer, and a valid bit rate. */
function isMp3Frame(bytes: Buffer): boolean {
  const [sync = 0, kind = 0, rate = 0] = bytes;
  const [version, layer] = [(kind >> 3) & 3, (kind >> 1) & 3];
  return (
    sync === 0xff &&
    kind >= 0xe0 &&
    version !== 1 &&
    layer === 1 &&
    rate >> 4 !== 15 &&
    ((rate >> 2) & 3) !== 3
  );
}

function startsWith(bytes: Buffer, text: string, at = 0): boolean {
  return bytes.toString('latin1', at, at + text.length) === text;
}
