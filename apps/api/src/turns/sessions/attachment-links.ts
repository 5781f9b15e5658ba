import type { Attachment, MessageContent } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { describeAttachments } from '../records/attachment.store.ts';
import type { UserPart } from '../records/steps.ts';

/** Returns the link for the id of an attachment. */
export type AttachmentLink = (id: string) => Attachment;

/** Loads what is known about the attachments of the parts. */
export async function loadAttachmentLinks(
  sql: Sql,
  { agentId, sessionId }: { agentId: string; sessionId: string },
  parts: readonly UserPart[],
): Promise<AttachmentLink> {
  const ids = parts.flatMap((part) => attachmentId(part) ?? []);
  const attachments = await describeAttachments(sql, ids);
  const base = `/api/agents/${agentId}/sessions/${encodeURIComponent(sessionId)}/attachments`;
  return (id) => {
    const { mime, bytes } = attachments.get(id) ?? { mime: 'application/octet-stream', bytes: 0 };
    return { id, mime, bytes, url: `${base}/${id}` };
  };
}

/** Returns a part of a user message as it is shown: media are links. */
export function showPart(part: UserPart, linkOf: AttachmentLink): MessageContent {
  const id = attachmentId(part);
  const link = id === null ? {} : { attachment: linkOf(id) };
  const url = 'url' in part && part.url !== undefined ? part.url : (link.attachment?.url ?? '');
  switch (part.type) {
    case 'text':
      return part;
    case 'image':
      return { type: 'image_url', image_url: { url, detail: part.detail }, ...link };
    case 'audio':
      return { type: 'audio', audio_url: { url }, ...link };
    case 'file':
      return { type: 'file', file_info: { url: link.attachment?.url, ...part.info }, ...link };
  }
}

function attachmentId(part: UserPart): string | null {
  return 'attachmentId' in part ? (part.attachmentId ?? null) : null;
}
