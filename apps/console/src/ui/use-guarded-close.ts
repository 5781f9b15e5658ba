import { App } from 'antd';
import { useTranslation } from 'react-i18next';

/**
 * Returns a function for Escape, the mask, and the cross: it asks first if something was entered. The form is asked
 * when it happens.
 */
export function useGuardedClose(isFilled: () => boolean, onClose: () => void): () => void {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  return () => {
    if (!isFilled()) {
      onClose();
      return;
    }
    void modal.confirm({
      title: t('unsaved.title'),
      content: t('unsaved.text'),
      okText: t('unsaved.leave'),
      okButtonProps: { danger: true },
      cancelText: t('unsaved.stay'),
      // Enter right after Escape must not lose the input.
      focusable: { autoFocusButton: 'cancel' },
      onOk: onClose,
    });
  };
}
