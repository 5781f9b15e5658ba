import { useRef, useState } from 'react';
import { useUnsavedInput } from '../../ui/browser/unsaved-input.ts';
import { useSession } from '../auth/session.ts';
import { keepText, readText } from './kept-text.ts';

export interface KeptText {
  /** What the input begins with. */
  initial: string;
  /** What is written now. */
  read: () => string;
  /** Keeps what is written now. */
  keep: (text: string) => void;
}

/**
 * The text of the message that is written: it survives leaving the page, in this tab and for this user in this space only.
 * `begun` is what it begins with if nothing is kept.
 */
export function useKeptText(name: string, begun = ''): KeptText {
  const { user, space } = useSession();
  const key = `${user.id}.${space.id}.${name}`;
  const [initial] = useState(() => readText(key) ?? begun);
  const written = useRef({ text: initial, isKept: true });
  useUnsavedInput('page', () => !written.current.isKept);
  return {
    initial,
    read: () => written.current.text,
    keep: (text) => {
      written.current = { text, isKept: keepText(key, text) };
    },
  };
}
