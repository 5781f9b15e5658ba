import { useMutation } from '@tanstack/react-query';
import { App, Form, Input, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { useFormErrors } from '../../ui/use-form-errors.ts';

interface PasswordForm {
  currentPassword: string;
  newPassword: string;
  repeated: string;
}

export function PasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<PasswordForm>();
  const showErrors = useFormErrors(form, ['currentPassword', 'newPassword']);

  const change = useMutation({
    mutationFn: ({ currentPassword, newPassword }: PasswordForm) =>
      client.auth.changePassword({ currentPassword, newPassword }),
    onSuccess: () => {
      void message.success(t('password.changed'));
      onClose();
    },
    onError: showErrors,
  });

  return (
    <Modal
      open={open}
      title={t('password.title')}
      okText={t('password.submit')}
      cancelText={t('common.cancel')}
      onCancel={onClose}
      onOk={form.submit}
      confirmLoading={change.isPending}
      destroyOnHidden
      afterOpenChange={(opened) => opened && form.focusField('currentPassword')}
      width={420}
    >
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        preserve={false}
        onFinish={(values) => change.mutate(values)}
      >
        <Form.Item
          name="currentPassword"
          label={t('password.current')}
          rules={[{ required: true, message: t('common.required') }]}
        >
          <Input.Password autoComplete="current-password" />
        </Form.Item>
        <Form.Item
          name="newPassword"
          label={t('password.new')}
          rules={[{ required: true, message: t('common.required') }]}
        >
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Form.Item
          name="repeated"
          label={t('password.repeat')}
          dependencies={['newPassword']}
          rules={[
            ({ getFieldValue }) => ({
              validator: (_, value) =>
                value === getFieldValue('newPassword')
                  ? Promise.resolve()
                  : Promise.reject(new Error(t('password.differs'))),
            }),
          ]}
        >
          <Input.Password autoComplete="new-password" />
        </Form.Item>
      </Form>
    </Modal>
  );
}
