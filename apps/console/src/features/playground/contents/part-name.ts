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
