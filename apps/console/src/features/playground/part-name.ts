import type { ContentItem, MessageContent } from '@platform/contracts';

/** What a part of a message is called: the name it was sent with, else its type or address. */
export function nameOf(item: MessageContent | ContentItem): string {
  if (item.type === 'text') return item.text;
  if (item.type === 'file' && typeof item.file_info.name === 'string') return item.file_info.name;
  if ('attachment' in item && item.attachment) return item.attachment.mime;
  if (item.type === 'file') return item.type;
  const url = item.type === 'image_url' ? item.image_url.url : item.audio_url.url;
  return url.startsWith('data:') ? url.slice('data:'.length, url.indexOf(';')) : url;
}

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;

/** A size as people read it, in steps of 1000. */
export function bytesText(bytes: number, language: string): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const format = {
    style: 'unit',
    unit: UNITS[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(language, format).format(bytes / 1000 ** step);
}
