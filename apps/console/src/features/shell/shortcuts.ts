import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import type { NAV } from './nav.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The key that opens the command menu together with K. */
export const MODIFIER = isApple ? '⌘' : 'Ctrl';
/** The second key of a sequence has to follow the first one within this time. */
const SEQUENCE_MS = 1_500;

interface Shortcuts {
  pages: readonly (typeof NAV)[number][];
  onMenu: () => void;
  onHelp: () => void;
}

/**
 * The keys that work on every page: Ctrl or Cmd with K opens the command menu, "/" focuses the search of the page, "?"
 * lists the keys, and "g" with another key opens a page.
 */
export function useShortcuts({ pages, onMenu, onHelp }: Shortcuts): void {
  const navigate = useNavigate();
  const actions = useRef({ pages, onMenu, onHelp, navigate });
  useEffect(() => {
    actions.current = { pages, onMenu, onHelp, navigate };
  });
  useEffect(() => {
    let startedAt = -Infinity;
    const onKeyDown = (event: KeyboardEvent) => {
      const { pages, onMenu, onHelp, navigate } = actions.current;
      if ((event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onMenu();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || isTyping(event.target))
        return;
      const page =
        event.timeStamp - startedAt < SEQUENCE_MS ? pages.find(({ key }) => key === event.key) : undefined;
      startedAt = event.key === 'g' ? event.timeStamp : -Infinity;
      if (page !== undefined) void navigate(page.to);
      else if (event.key === '?') onHelp();
      else if (event.key !== '/' || !focusSearch()) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Whether keys belong to the element that has the focus: a field, an editor, or something above the page. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  const fields = 'input, textarea, select, [contenteditable="true"], [role="menu"], [role="dialog"], dialog';
  return target.closest(fields) !== null;
}

/** Moves the focus to the search of the page, or to its message field. Returns false if it has neither. */
function focusSearch(): boolean {
  const main = document.getElementById('main');
  const field = main?.querySelector<HTMLElement>('input[type="search"], .composer textarea');
  field?.focus();
  return field !== null && field !== undefined;
}
