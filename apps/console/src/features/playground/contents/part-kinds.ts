import { audioPart } from './audio.tsx';
import { filePart } from './file.tsx';
import { imagePart } from './image.tsx';
import type { AttachmentDescriptor, AttachmentPart } from './part-kind.ts';

/** All kinds of attachments. A file becomes the first that accepts it. */
export const ATTACHMENT_KINDS: Record<AttachmentPart['type'], AttachmentDescriptor> = {
  image_url: imagePart,
  audio: audioPart,
  file: filePart,
};
