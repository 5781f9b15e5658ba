import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';

/** Adds a document whose text is entered. */
export function TextDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const required = [{ required: true, whitespace: true, message: t('common.required') }];
  return (
    <DialogForm<{ title: string; text: string }, unknown>
      title={t('knowledge.addText')}
      submitText={t('knowledge.add')}
      fields={['title', 'text']}
      width={640}
      save={(values) => client.knowledge.createDocument(values)}
      onSaved={async () => {
        await queryClient.invalidateQueries({ queryKey: keys.knowledge });
        onClose();
      }}
      onClose={onClose}
    >
      <Form.Item name="title" label={t('knowledge.documentTitle')} rules={required}>
        <Input maxLength={200} />
      </Form.Item>
      <Form.Item name="text" label={t('knowledge.text')} extra={t('knowledge.textHint')} rules={required}>
        <Input.TextArea autoSize={{ minRows: 8, maxRows: 18 }} />
      </Form.Item>
    </DialogForm>
  );
}
