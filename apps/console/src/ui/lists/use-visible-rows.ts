import { useEffect, useState, type RefObject } from 'react';

/** Rows above and below the visible ones that are rendered as well, so that scrolling shows no gaps. */
const MARGIN = 12;

const narrowScreen = '(max-width: 760px)';

interface VisibleRows {
  first: number;
  /** The row after the last one. */
  last: number;
  /** Height of the rows before and after, in pixels. */
  before: number;
  after: number;
}

/** Returns which of `count` rows of equal height are near the visible part of the page. */
export function useVisibleRows(
  body: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: { wide: number; narrow: number },
): VisibleRows {
  const [view, setView] = useState({ top: 0, height: 1_000, isNarrow: false });
  const isEmpty = count === 0;

  useEffect(() => {
    const element = body.current;
    if (element === null) return;
    const scroller = element.closest<HTMLElement>('.shell-main') ?? document.documentElement;
    let request = 0;
    const measure = () => {
      request = 0;
      const top = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top;
      const isNarrow = window.matchMedia(narrowScreen).matches;
      // Rounding keeps small movements from rendering again.
      setView((known) => {
        const next = { top: Math.floor(top / 100) * 100, height: scroller.clientHeight, isNarrow };
        return known.top === next.top && known.height === next.height && known.isNarrow === isNarrow
          ? known
          : next;
      });
    };
    const onScroll = () => {
      request ||= requestAnimationFrame(measure);
    };
    measure();
    scroller.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', onScroll);
    return () => {
      cancelAnimationFrame(request);
      scroller.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', onScroll);
    };
  }, [body, isEmpty]);

  const size = view.isNarrow ? rowHeight.narrow : rowHeight.wide;
  return findVisibleRows(view, count, size);
}

export function findVisibleRows(
  { top, height }: { top: number; height: number },
  count: number,
  size: number,
): VisibleRows {
  const last = Math.min(count, Math.max(0, Math.ceil((top + height) / size) + MARGIN));
  const first = Math.min(last, Math.max(0, Math.floor(top / size) - MARGIN));
  return { first, last, before: first * size, after: (count - last) * size };
}
