import type { GivenJobInput, MessageContent } from '@platform/contracts';
import { shortened } from '../../infra/errors/error-message.ts';

/** The most that is shown of the texts, of the media, and of the variables of an input. */
export const MAX_INPUT_BYTES = 64 * 1024;
/** Less than this of a text says nothing. */
const MIN_TEXT_BYTES = 64;

/** Limits what is shown of an input: a text ends where its room does, and other values that do not fit are left out. */
export function limitInput(contents: MessageContent[], variables: Record<string, unknown>): GivenJobInput {
  const [text, media, values] = [new Room(), new Room(), new Room()];
  const shown = contents.flatMap((part): MessageContent[] => {
    if (part.type !== 'text') return media.take(sizeOf(part)) ? [part] : [];
    const { left } = text;
    if (text.take(Buffer.byteLength(part.text))) return [part];
    text.left = 0;
    return left < MIN_TEXT_BYTES ? [] : [{ ...part, text: shortened(part.text, left) }];
  });
  const kept = Object.entries(variables).filter((entry) => values.take(sizeOf(entry)));
  return {
    contents: shown,
    variables: Object.fromEntries(kept),
    isShortened: text.isExceeded || media.isExceeded || values.isExceeded,
  };
}

class Room {
  left = MAX_INPUT_BYTES;
  isExceeded = false;

  /** Whether so many bytes fit; they take their room then. */
  take(bytes: number): boolean {
    const isFit = bytes <= this.left;
    if (isFit) this.left -= bytes;
    else this.isExceeded = true;
    return isFit;
  }
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
