import type { ContentItem, MessageContent } from '@platform/contracts';

/** Returns the name of a message part: its file name, or its type or URL. */
export function getPartName(item: MessageContent | ContentItem): string {
  if (item.type === 'text') return item.text;
  if (item.type === 'file' && typeof item.file_info.name === 'string') return item.file_info.name;
  if ('attachment' in item && item.attachment) return item.attachment.mime;
  if (item.type === 'file') return item.type;
  const url = item.type === 'image_url' ? item.image_url.url : item.audio_url.url;
  return url.startsWith('data:') ? url.slice('data:'.length, url.indexOf(';')) : url;
}

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;

/** Formats a size in decimal units. */
export function formatBytes(bytes: number, language: string): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const format = {
    style: 'unit',
    unit: UNITS[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(language, format).format(bytes / 1000 ** step);
}
