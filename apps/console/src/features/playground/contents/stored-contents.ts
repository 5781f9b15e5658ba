import type { ContentItem, ImageDetail, MessageContent } from '@platform/contracts';
import { client, keys, queryClient } from '../../../api.ts';
import { toDataUri } from '../../../ui/browser/data-uri.ts';

type Part = MessageContent | ContentItem;

/**
 * Returns the contents of the history as they were sent: a repeated turn must have the same. Attachments are links there, so
 * their bytes are loaded.
 */
export function loadContents(
  agentId: string,
  sessionId: string,
  contents: readonly Part[],
): Promise<ContentItem[]> {
  return Promise.all(
    contents.map(async (item) => {
      const attachment = getAttachment(item);
      if (attachment === undefined) return withUrl(item);
      const blob = await queryClient.query({
        queryKey: keys.attachment(agentId, sessionId, attachment.id),
        queryFn: () => client.agents.attachment(agentId, sessionId, attachment.id),
        staleTime: Infinity,
      });
      return withUrl(item, await toDataUri(new Blob([blob], { type: attachment.mime })));
    }),
  );
}

/** Returns the contents for a request that is only shown: attachments are abbreviated. */
export function outlineContents(contents: readonly Part[]): ContentItem[] {
  return contents.map((item) => {
    const attachment = getAttachment(item);
    return withUrl(item, attachment && `data:${attachment.mime};base64,…`);
  });
}

/** Returns the attachment of a part whose bytes were sent. Of others, the address was sent. */
function getAttachment(item: Part) {
  if (!('attachment' in item) || item.attachment === undefined) return undefined;
  return getUrl(item) === item.attachment.url ? item.attachment : undefined;
}

/** Of a part of the history, the address that was sent, or the link of the attachment. */
function getUrl(item: Part): unknown {
  switch (item.type) {
    case 'text':
      return undefined;
    case 'image_url':
      return item.image_url.url;
    case 'audio':
      return item.audio_url.url;
    case 'file':
      return item.file_info.url;
  }
}

function withUrl(item: Part, url?: string): ContentItem {
  switch (item.type) {
    case 'text':
      return item;
    case 'image_url':
      return { type: 'image_url', image_url: toImage(item.image_url, url) };
    case 'audio':
      return { type: 'audio', audio_url: { url: url ?? item.audio_url.url } };
    case 'file': {
      const known = typeof item.file_info.url === 'string' ? item.file_info.url : '';
      return { type: 'file', file_info: { ...item.file_info, url: url ?? known } };
    }
  }
}

/** The history names the default level of detail. Requests rarely do. */
function toImage({ detail, ...image }: { url: string; detail?: ImageDetail | undefined }, url = image.url) {
  return { ...image, url, ...(detail !== undefined && detail !== 'auto' && { detail }) };
}
