import { SPEECH_FORMATS, type SpeechFormat } from '@platform/contracts';

/** What the first bytes of audio tell. `other`: a known format that the tool does not support. */
export type DetectedFormat = SpeechFormat | 'mp4' | { other: string } | null;

/** Detects a format by its first bytes. PCM has none; `mp4` can be audio or video. */
export function detectFormat(bytes: Buffer): DetectedFormat {
  const text = (start: number, end: number) => bytes.toString('latin1', start, end);
  if (text(0, 4) === 'RIFF') return text(8, 12) === 'WAVE' ? 'wav' : { other: 'AVI or another RIFF format' };
  if (text(0, 3) === 'ID3') return 'mp3';
  if (text(4, 8) === 'ftyp') return ['M4A ', 'M4B '].includes(text(8, 12)) ? 'm4a' : 'mp4';
  if (text(0, 4) === 'ADIF') return 'aac';
  const other = OTHER.find(({ at, magic }) => text(at, at + magic.length) === magic);
  if (other) return { other: other.name };
  return detectMpegAudio(bytes);
}

/** Formats that are not supported, by their first bytes. */
const OTHER = [
  { name: 'Ogg', at: 0, magic: 'OggS' },
  { name: 'FLAC', at: 0, magic: 'fLaC' },
  { name: 'WebM or Matroska', at: 0, magic: '\x1a\x45\xdf\xa3' },
  { name: 'AMR', at: 0, magic: '#!AMR' },
  { name: 'AIFF', at: 0, magic: 'FORM' },
  { name: 'WMA or another ASF format', at: 0, magic: '\x30\x26\xb2\x75' },
  { name: 'MPEG video', at: 0, magic: '\x00\x00\x01\xba' },
  { name: 'MPEG video', at: 0, magic: '\x00\x00\x01\xb3' },
  { name: 'FLV', at: 0, magic: 'FLV' },
  { name: 'CAF', at: 0, magic: 'caff' },
  { name: 'PNG', at: 0, magic: '\x89PNG' },
  { name: 'JPEG', at: 0, magic: '\xff\xd8\xff' },
  { name: 'PDF', at: 0, magic: '%PDF' },
  { name: 'ZIP', at: 0, magic: 'PK\x03\x04' },
];

/** A frame starts with 11 or 12 one bits. Layer 0 is AAC in ADTS; layer III is MP3. */
function detectMpegAudio(bytes: Buffer): SpeechFormat | { other: string } | null {
  const [first = 0, second = 0, third = 0] = bytes;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const layer = (second >> 1) & 3;
  if (layer === 0) return (second & 0xf0) === 0xf0 ? 'aac' : null;
  const isValid = (second & 0x18) !== 0x08 && third >> 4 !== 0xf;
  if (!isValid) return null;
  return layer === 1 ? 'mp3' : { other: 'MPEG audio of layer I or II' };
}

export function isAudioFormat(text: string): text is SpeechFormat {
  return (SPEECH_FORMATS as readonly string[]).includes(text);
}

/** The format that a file name tells, if it is one of the five. */
export function formatOfName(filename: string | null | undefined): SpeechFormat | null {
  const extension = /\.([A-Za-z0-9]+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  return isAudioFormat(extension) ? extension : null;
}
