import { useEffect } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';
import { useLeaveQuestion } from './use-leave-question.ts';

/** Asks for confirmation before the user leaves a page with unsaved input or closes the tab. */
export function useUnsavedGuard(unsaved: boolean): void {
  const ask = useLeaveQuestion();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved && currentLocation.pathname !== nextLocation.pathname,
  );

  useBeforeUnload((event) => {
    if (unsaved) event.preventDefault();
  });

  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const dialog = ask({ onOk: () => blocker.proceed(), onCancel: () => blocker.reset() });
    return () => dialog.destroy();
  }, [blocker, ask]);
}
