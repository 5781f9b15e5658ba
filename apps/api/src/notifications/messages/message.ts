import type { NotificationEvent, NotificationSeverity } from '@platform/contracts';
import { PLATFORM_EVENTS } from './platform-events.ts';

/** What a delivery tells. */
export interface Message {
  deliveryId: string;
  spaceId: string;
  channelName: string;
  isTest: boolean;
  /** How much happened; `items` are the first of it. */
  count: number;
  items: MessageItem[];
  at: Date;
}

export interface MessageItem {
  id: string;
  event: NotificationEvent;
  severity: NotificationSeverity;
  text: string;
  url: string;
  payload: Record<string, unknown>;
  at: Date;
}

/** What a delivery keeps of what happened while it waited. */
export const MAX_ITEMS = 100;
/** How many lines a chat or a mail shows. */
const MAX_LINES = 20;
const MAX_LINE_CHARS = 500;

export function toItem(
  publicUrl: string,
  { id, event, severity, payload, createdAt }: Omit<MessageItem, 'text' | 'url' | 'at'> & { createdAt: Date },
): MessageItem {
  const { describe, path } = PLATFORM_EVENTS[event];
  return {
    id,
    event,
    severity,
    text: toLine(describe(payload)),
    url: `${publicUrl}${path(payload)}`,
    payload,
    at: createdAt,
  };
}

export function titleOf({ isTest, count, items, channelName }: Message): string {
  if (isTest) return `[${channelName}] Test message`;
  const [first] = items;
  if (count === 1 && first !== undefined) return `[${channelName}] ${first.event}`;
  return `[${channelName}] ${count} notifications`;
}

export interface Line {
  text: string;
  url: string | null;
}

/** The lines of a text for people: at most `most` of what happened, and how much more it was. */
export function linesOf({ isTest, count, items }: Message, most = MAX_LINES): Line[] {
  if (isTest) return [{ text: 'This channel works. Nothing has happened.', url: null }];
  const lines: Line[] = items.slice(0, Math.min(most, MAX_LINES)).map(({ text, url }) => ({ text, url }));
  const more = count - lines.length;
  if (more > 0) lines.push({ text: `And ${more} more.`, url: null });
  return lines;
}

/** One line without control characters: the texts of errors are foreign. */
function toLine(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  if (line.length <= MAX_LINE_CHARS) return line;
  return `${line.slice(0, MAX_LINE_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
