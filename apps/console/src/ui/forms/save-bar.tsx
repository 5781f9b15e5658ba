import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface SaveBarProps {
  isDirty: boolean;
  isSending: boolean;
  submitLabel: string;
  onCancel: () => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** The buttons of a form that is a page. They stay in view. */
export function SaveBar({ isDirty, isSending, submitLabel, onCancel, children }: SaveBarProps) {
  const { t } = useTranslation();
  return (
    <div className="save-bar">
      <span className="muted grow" aria-live="polite">
        {isDirty ? t('agentForm.unsaved') : ''}
      </span>
      {children}
      <Button onClick={onCancel}>{t('common.cancel')}</Button>
      <Button type="primary" htmlType="submit" loading={isSending}>
        {submitLabel}
      </Button>
    </div>
  );
}
