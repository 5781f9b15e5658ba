import { useEffect } from 'react';

/** Marks what has the focus only to keep the place. */
const MARK = 'data-kept-focus';

/**
 * If what has the focus is removed, such as a row by its own button, a drawer, or an offer that was taken, the focus would be on
 * nothing: nothing is read, and keys go nowhere. It stays at what was around it, or goes to the content of the page.
 */
export function useKeptFocus(content: { current: HTMLElement | null }): void {
  useEffect(() => {
    let around: Element[] = [];
    const onFocus = ({ target }: FocusEvent) => {
      around = [];
      for (let at = target as Element | null; at !== null && at !== document.body; at = at.parentElement)
        around.push(at);
    };
    const observer = new MutationObserver(() => {
      if (document.activeElement !== document.body || around[0] === undefined || around[0].isConnected)
        return;
      const place = around.find((one) => one.isConnected);
      around = [];
      keep(place instanceof HTMLElement && place.checkVisibility() ? place : content.current);
    });
    document.addEventListener('focusin', onFocus);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', onFocus);
      observer.disconnect();
    };
  }, [content]);
}

function keep(place: HTMLElement | null): void {
  if (place === null) return;
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1;
    place.setAttribute(MARK, '');
    const clean = () => {
      place.removeAttribute('tabindex');
      place.removeAttribute(MARK);
    };
    place.addEventListener('blur', clean, { once: true });
  }
  place.focus({ preventScroll: true });
}
