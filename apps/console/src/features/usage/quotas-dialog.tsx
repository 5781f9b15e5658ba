import type { StorageUse } from '@platform/contracts';
import { App, Form, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';

const MB = 1_000_000;

/** In megabytes; empty: no limit. */
interface QuotasForm {
  eventBytes: number | null;
  rowBytes: number | null;
}

/** Sets how many bytes the space may store. */
export function QuotasDialog({ items, onClose }: { items: StorageUse[]; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const inMegabytes = (kind: StorageUse['kind']) => {
    const bytes = items.find((item) => item.kind === kind)?.quotaBytes ?? null;
    return bytes === null ? null : bytes / MB;
  };
  const inBytes = (megabytes: number | null) => (megabytes === null ? null : Math.round(megabytes * MB));
  const field = <InputNumber min={0.000_001} max={1_000_000_000} suffix="MB" style={{ width: '100%' }} />;
  return (
    <DialogForm
      title={t('storage.setQuotas')}
      submitText={t('common.save')}
      fields={['eventBytes', 'rowBytes']}
      initialValues={{ eventBytes: inMegabytes('EVENTS'), rowBytes: inMegabytes('ROWS') }}
      save={({ eventBytes, rowBytes }: QuotasForm) =>
        client.usage.setStorageQuotas({ eventBytes: inBytes(eventBytes), rowBytes: inBytes(rowBytes) })
      }
      onSaved={async () => {
        await queryClient.invalidateQueries({ queryKey: keys.usage });
        void message.success(t('storage.saved'));
        onClose();
      }}
      onClose={onClose}
    >
      <p>{t('storage.quotasText')}</p>
      <Form.Item name="eventBytes" label={t('storage.kinds.EVENTS')}>
        {field}
      </Form.Item>
      <Form.Item name="rowBytes" label={t('storage.kinds.ROWS')}>
        {field}
      </Form.Item>
    </DialogForm>
  );
}
