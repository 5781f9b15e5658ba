import { useEffect, useRef, useState } from 'react';
import { useUnsavedInput } from '../../ui/browser/unsaved-input.ts';
import { useSession } from '../auth/session.ts';
import { keepText, readText } from './kept-text.ts';

export interface KeptText {
  /** What the input begins with. */
  initial: string;
  /** Whether it was written before, on this page or another one. */
  wasKept: boolean;
  /** What is written now. */
  read: () => string;
  /** Keeps what is written now. */
  keep: (text: string) => void;
}

/**
 * The text of the message that is written: it survives leaving the page, in this tab and for this user in this space only.
 * `begun` is what it begins with if nothing is kept; null: nothing. If the name changes, the text moves.
 */
export function useKeptText(name: string, begun: string | null): KeptText {
  const { user, space } = useSession();
  const key = `${user.id}.${space.id}.${name}`;
  const [{ initial, wasKept }] = useState(() => {
    const kept = readText(key);
    return { initial: kept ?? begun ?? '', wasKept: kept !== null };
  });
  const place = useRef(key);
  const written = useRef({ text: initial, isKept: true });
  useUnsavedInput('page', () => !written.current.isKept);
  useEffect(() => {
    if (place.current === key) return;
    keepText(place.current, '');
    place.current = key;
    const { text } = written.current;
    written.current = { text, isKept: keepText(key, text) };
  }, [key]);
  return {
    initial,
    wasKept,
    read: () => written.current.text,
    keep: (text) => {
      written.current = { text, isKept: keepText(key, text, begun !== null) };
    },
  };
}
