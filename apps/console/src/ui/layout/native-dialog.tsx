import { useEffect, useRef, type ReactNode } from 'react';

interface NativeDialogProps {
  label: string;
  className: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog of the browser: it keeps the focus, closes with Escape, and costs no code. */
export function NativeDialog({ label, className, onClose, children }: NativeDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={className}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The element itself is hit only beside its content.
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      {children}
    </dialog>
  );
}
