import type { ContentItem } from '@platform/contracts';
import { client, keys, queryClient } from '../../../api.ts';
import { toDataUri } from '../../../ui/browser/data-uri.ts';
import type { Part } from './part-kind.ts';
import { ATTACHMENT_KINDS } from './part-kinds.ts';

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
  if (item.type === 'text' || !('attachment' in item) || item.attachment === undefined) return undefined;
  return ATTACHMENT_KINDS[item.type].getUrl(item) === item.attachment.url ? item.attachment : undefined;
}

/** Returns the part for a request, with its own address if no other is given. */
function withUrl(item: Part, url?: string): ContentItem {
  if (item.type === 'text') return item;
  const kind = ATTACHMENT_KINDS[item.type];
  return kind.withUrl(item, url ?? kind.getUrl(item));
}
