import type { ContentItem } from '@platform/contracts';
import { useState, type Dispatch, type SetStateAction } from 'react';
import { toDataUri } from '../../../ui/browser/data-uri.ts';
import type { SentPart } from './part-kind.ts';
import { ATTACHMENT_KINDS } from './part-kinds.ts';
import { getPartName } from './part-name.ts';

/** A request can have 10 MB, and base64 encodes three bytes as four characters. */
export const MAX_ATTACHED_BYTES = 7 * 1024 * 1024;

export interface Attached {
  key: number;
  name: string;
  bytes: number;
  content: SentPart;
  /** Whether a stored message has it, so that it is not lost with the page. */
  isStored: boolean;
}

/** The names of the files that do not fit into the request, and of those that the browser could not read, such as folders. */
interface RefusedFiles {
  tooLarge: string[];
  unreadable: string[];
}

export interface Attachments {
  items: Attached[];
  refused: RefusedFiles;
  add: (files: Iterable<File>) => Promise<void>;
  remove: (key: number) => void;
  clear: () => void;
  /** Attaches what a message already has. */
  replace: (contents: readonly ContentItem[]) => void;
}

export type AttachedState = [items: Attached[], setItems: Dispatch<SetStateAction<Attached[]>>];

const NONE: RefusedFiles = { tooLarge: [], unreadable: [] };

let nextKey = 1;

/** Whether something is lost with the page. */
export const hasUnsaved = (items: readonly Attached[]): boolean => items.some(({ isStored }) => !isStored);

export function useAttachments([items, setItems]: AttachedState): Attachments {
  const [refused, setRefused] = useState(NONE);
  return {
    items,
    refused,
    add: async (files) => {
      const { fitting, tooLarge } = fit(
        [...files],
        items.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      const read = await Promise.all(fitting.map((file) => attach(file).catch(() => file.name)));
      const unreadable = read.filter((one) => typeof one === 'string');
      setRefused({ tooLarge: tooLarge.map(({ name }) => name), unreadable });
      setItems((before) => [...before, ...read.filter((one) => typeof one !== 'string')]);
    },
    remove: (key) => {
      setRefused(NONE);
      setItems((before) => before.filter((item) => item.key !== key));
    },
    clear: () => {
      setRefused(NONE);
      setItems([]);
    },
    replace: (contents) => {
      setRefused(NONE);
      setItems(contents.filter((item) => item.type !== 'text').map(toAttached));
    },
  };
}

function toAttached(content: SentPart): Attached {
  const { length } = JSON.stringify(content);
  return {
    key: nextKey++,
    name: getPartName(content),
    bytes: Math.ceil((length / 4) * 3),
    content,
    isStored: true,
  };
}

/** Accepts files in order as long as their total size is within the limit. */
export function fit<T extends { size: number }>(files: T[], used: number): { fitting: T[]; tooLarge: T[] } {
  let total = used;
  const fits = files.map(({ size }) => {
    if (total + size > MAX_ATTACHED_BYTES) return false;
    total += size;
    return true;
  });
  return { fitting: files.filter((_, i) => fits[i]), tooLarge: files.filter((_, i) => !fits[i]) };
}

async function attach(file: File): Promise<Attached> {
  return {
    key: nextKey++,
    name: file.name,
    bytes: file.size,
    content: toContent(file.name, file.type, await toDataUri(file)),
    isStored: false,
  };
}

/** Converts an attachment to the kind of part for its media type. */
export function toContent(name: string, type: string, url: string): SentPart {
  const kind = Object.values(ATTACHMENT_KINDS).find((one) => one.accepts(type)) ?? ATTACHMENT_KINDS.file;
  return kind.create(name, url);
}
