import { useLeaveQuestion } from './use-leave-question.ts';

/**
 * Returns a function for Escape, the mask, and the cross: it asks first if something was entered. The form is asked
 * when it happens.
 */
export function useGuardedClose(isFilled: () => boolean, onClose: () => void): () => void {
  const ask = useLeaveQuestion();
  return () => {
    if (isFilled()) ask({ onOk: onClose });
    else onClose();
  };
}
