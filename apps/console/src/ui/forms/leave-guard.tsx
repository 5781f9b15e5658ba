import { useEffect } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';
import { hasUnsavedInput, isInputLost } from '../browser/unsaved-input.ts';
import { useLeaveQuestion } from './use-leave-question.ts';

/** Asks before a navigation, or closing the tab, loses what was entered in a form, a drawer, or a dialog. */
export function LeaveGuard() {
  const ask = useLeaveQuestion();
  const blocker = useBlocker(({ currentLocation, nextLocation }) =>
    isInputLost(currentLocation, nextLocation),
  );

  useBeforeUnload((event) => {
    if (hasUnsavedInput()) event.preventDefault();
  });

  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const dialog = ask({ onOk: () => blocker.proceed(), onCancel: () => blocker.reset() });
    return () => dialog.destroy();
  }, [blocker, ask]);
  return null;
}
