import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { messageOf } from './errors.ts';

interface Deletion {
  title: string;
  /** What will happen, in a sentence. */
  text: string;
  /** The button's word, where it is not "Delete". */
  verb?: string;
  /** The other button's word, where "Cancel" could be misread. */
  keep?: string;
  run: () => Promise<void>;
}

/** Destructive acts ask first; a refusal is shown and the dialog closes. */
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
      onOk: () => run().catch((error: unknown) => void message.error(messageOf(error, t))),
    });
}
