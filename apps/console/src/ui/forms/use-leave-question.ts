import { App } from 'antd';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** Returns a function that asks whether input may be lost. */
export function useLeaveQuestion() {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  return useCallback(
    (answers: { onOk: () => void; onCancel?: () => void }) =>
      modal.confirm({
        title: t('unsaved.title'),
        content: t('unsaved.text'),
        okText: t('unsaved.leave'),
        okButtonProps: { danger: true },
        cancelText: t('unsaved.stay'),
        // Enter right after Escape must not lose the input.
        focusable: { autoFocusButton: 'cancel' },
        ...answers,
      }),
    [modal, t],
  );
}
