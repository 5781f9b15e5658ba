import { useEffect } from 'react';

/** Calls `save` on Ctrl+S or Cmd+S, unless they are pressed in a dialog or a drawer above the page. */
export function useSaveKey(save: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      const isAbove =
        event.target instanceof Element && event.target.closest('[role="dialog"], dialog') !== null;
      if (!isAbove) save();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [save]);
}
