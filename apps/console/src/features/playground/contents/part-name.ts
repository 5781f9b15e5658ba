import type { Part } from './part-kind.ts';
import { ATTACHMENT_KINDS } from './part-kinds.ts';

/** Returns the name of a message part: its file name, or its media type, kind, or URL. */
export function getPartName(part: Part): string {
  if (part.type === 'text') return part.text;
  const kind = ATTACHMENT_KINDS[part.type];
  const name = kind.findName(part);
  if (name !== undefined) return name;
  if ('attachment' in part && part.attachment) return part.attachment.mime;
  if (kind.shown === 'never') return part.type;
  const url = kind.getUrl(part);
  return url.startsWith('data:') ? url.slice('data:'.length, url.indexOf(';')) : url;
}
