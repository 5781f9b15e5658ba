import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';

interface CreateSpaceDialogProps {
  onClose: () => void;
  onCreated: (spaceId: string) => void;
}

export function CreateSpaceDialog({ onClose, onCreated }: CreateSpaceDialogProps) {
  const { t } = useTranslation();
  return (
    <DialogForm
      title={t('spaces.create')}
      submitText={t('spaces.submit')}
      fields={['name']}
      width={420}
      save={(values: { name: string }) => client.spaces.create(values)}
      onSaved={(space) => {
        onClose();
        onCreated(space.id);
      }}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={t('common.name')}
        extra={t('spaces.hint')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input maxLength={120} />
      </Form.Item>
    </DialogForm>
  );
}
