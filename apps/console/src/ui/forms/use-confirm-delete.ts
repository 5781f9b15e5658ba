import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { getErrorMessage } from '../layout/errors.ts';

interface Deletion {
  title: string;
  /** Describes the consequence in one sentence. */
  text: string;
  /** Label of the button. Defaults to "Delete". */
  verb?: string;
  /** Label of the other button, if "Cancel" would be ambiguous. */
  keep?: string;
  run: () => Promise<void>;
}

/** Asks for confirmation before a destructive action. Errors are shown after the dialog has closed. */
export function useConfirmDelete(): (deletion: Deletion) => void {
  const { t } = useTranslation();
  const { modal, message } = App.useApp();
  return ({ title, text, verb, keep, run }) =>
    void modal.confirm({
      title,
      content: text,
      okText: verb ?? t('common.delete'),
      okButtonProps: { danger: true },
      cancelText: keep ?? t('common.cancel'),
      onOk: () => run().catch((error: unknown) => void message.error(getErrorMessage(error, t))),
    });
}
