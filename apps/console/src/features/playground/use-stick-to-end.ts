import { useLayoutEffect, useRef } from 'react';

const NEAR_END_PX = 80;

/** Keeps the end in view while content is added, unless the user has scrolled up. */
export function useStickToEnd(content: unknown) {
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (atEnd.current && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [content]);
  const onScroll = () => {
    const box = scroller.current;
    if (box && !box.hidden) atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX;
  };
  return { scroller, onScroll };
}
