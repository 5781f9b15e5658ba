import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api.ts';
import { hasUnsavedInput } from '../../ui/browser/unsaved-input.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';

interface RestoreOptions<Stored> {
  restore: (version: number) => Promise<Stored>;
  onRestored: (stored: Stored) => void;
  /** Of the versions, to which the restored one is added. */
  queryKey: readonly unknown[];
}

/** Returns a function that restores a version after it was confirmed. `text` says what happens, `changes` shows it. */
export function useRestore<Stored>({ restore: send, onRestored, queryKey }: RestoreOptions<Stored>) {
  const { t } = useTranslation();
  const { message, modal } = App.useApp();
  const restore = useMutation({
    mutationFn: send,
    onSuccess: (stored, version) => {
      onRestored(stored);
      void queryClient.invalidateQueries({ queryKey });
      void message.success(t('versions.restored', { version }));
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  return (version: number, text: string, changes: ReactNode) =>
    void modal.confirm({
      title: t('versions.restoreTitle', { version }),
      width: 640,
      icon: null,
      content: (
        <div className="stack">
          <p className="muted">{text}</p>
          {hasUnsavedInput() && <p className="warning-text">{t('versions.unsaved')}</p>}
          {changes}
        </div>
      ),
      okText: t('versions.restore'),
      cancelText: t('common.cancel'),
      // The mutation shows its own errors.
      onOk: () =>
        restore.mutateAsync(version).then(
          () => undefined,
          () => undefined,
        ),
    });
}
