import type { ContentItem, MessageContent } from '@platform/contracts';
import type { ReactNode } from 'react';

/** A part of a message in the history, or of a request. */
export type Part = MessageContent | ContentItem;
export type AttachmentPart = Exclude<Part, { type: 'text' }>;
/** An attachment in a request. */
export type SentPart = Exclude<ContentItem, { type: 'text' }>;

interface PreviewProps {
  src: string;
  name: string;
  autoPlay?: boolean;
}

/** What the console knows about a kind of attachment. Methods, so that one table can hold all kinds. */
export interface AttachmentDescriptor<P extends AttachmentPart = AttachmentPart> {
  kind: P['type'];
  icon: ReactNode;
  /** Whether files of a media type become such a part. */
  accepts(mime: string): boolean;
  /** The name of the list that an execution takes it in; null if it takes none. */
  input: 'images' | 'audios' | null;
  /** When a stored part is shown in the conversation: as soon as it is visible, on a click, or never. */
  shown: 'visible' | 'clicked' | 'never';
  create(name: string, url: string): SentPart;
  /** Returns the address that was sent, or the link of the attachment. */
  getUrl(part: P): string;
  withUrl(part: P, url: string): SentPart;
  /** Returns the file name, if it is known. */
  findName(part: P): string | undefined;
  Preview(props: PreviewProps): ReactNode;
}

/** The descriptor of a kind of attachment. */
export type AttachmentKind<Type extends AttachmentPart['type']> = AttachmentDescriptor<
  Extract<AttachmentPart, { type: Type }>
>;
