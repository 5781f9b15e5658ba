import { useEffect, useRef } from 'react';
import { useUnsavedInput } from '../browser/unsaved-input.ts';
import { useLeaveQuestion } from './use-leave-question.ts';

interface GuardedClose {
  /** For Escape, the mask, and the cross: asks first if something was entered. */
  close: () => void;
  /** For Cancel, and for the end of a save: closes without a question. */
  leave: () => void;
  /** Once it is saved: nothing can be lost any more, also where a page is opened instead. */
  release: () => void;
}

/**
 * Asks before a drawer or a dialog closes, or its page is left, with something that was entered. The form is asked when
 * it happens.
 */
export function useGuardedClose(isFilled: () => boolean, onClose: () => void): GuardedClose {
  const ask = useLeaveQuestion();
  const isShown = useRef(false);
  const isReleased = useRef(false);
  const question = useRef<ReturnType<typeof ask>>(null);
  const isUnsaved = () => !isReleased.current && isFilled();
  useUnsavedInput('drawer', isUnsaved);

  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      question.current?.destroy();
    };
  }, []);

  const release = () => {
    isReleased.current = true;
  };
  const leave = () => {
    release();
    // A save may end after the user has left: closing what is gone would lead away from where they are.
    if (isShown.current) onClose();
  };
  const close = () => {
    if (isUnsaved()) question.current = ask({ onOk: leave });
    else onClose();
  };
  return { close, leave, release };
}
