import { ROLES, type AddMemberRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Form, Input, Modal, Radio } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { useFormErrors } from '../../ui/use-form-errors.ts';
import { useSession } from '../auth/session.ts';

/**
 * An installation administrator adds a person, and who is new gets a temporary password that is shown this once;
 * every other admin invites an address and learns nothing of its account.
 */
export function AddMemberDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { installationAdmin, space } = useSession();
  const [form] = Form.useForm<AddMemberRequest>();
  const showErrors = useFormErrors(form, ['email', 'name', 'role']);
  const add = useMutation({
    mutationFn: ({ name, ...member }: AddMemberRequest) =>
      client.members.add({ ...member, ...(name && { name }) }),
    onSuccess: (added, { email }) => {
      void queryClient.invalidateQueries({ queryKey: keys.members });
      void queryClient.invalidateQueries({ queryKey: keys.invitations });
      void queryClient.invalidateQueries({ queryKey: keys.agents });
      if ('status' in added) void message.success(t('members.invited', { email }));
      if ('status' in added || added.temporaryPassword === undefined) onClose();
    },
    onError: showErrors,
  });
  const added = add.data && 'user' in add.data ? add.data : undefined;
  const password = added?.temporaryPassword;
  const verb = t(installationAdmin ? 'members.add' : 'members.invite');

  return (
    <Modal
      open
      title={password === undefined ? verb : t('members.addedTitle', { name: added?.user.name })}
      okText={password === undefined ? verb : t('common.done')}
      cancelText={t('common.cancel')}
      mask={{ closable: password === undefined }}
      keyboard={password === undefined}
      cancelButtonProps={password === undefined ? undefined : { style: { display: 'none' } }}
      onOk={password === undefined ? form.submit : onClose}
      onCancel={onClose}
      confirmLoading={add.isPending}
      afterOpenChange={(opened) => opened && form.focusField('email')}
      width={480}
    >
      {password === undefined ? (
        <Form
          form={form}
          layout="vertical"
          requiredMark={installationAdmin ? 'optional' : false}
          initialValues={{ email: '', name: '', role: 'MEMBER' }}
          onFinish={(values) => add.mutate(values)}
        >
          <Form.Item
            name="email"
            label={t('members.email')}
            extra={installationAdmin ? undefined : t('members.inviteHint', { space: space.name })}
            rules={[{ required: true, type: 'email', message: t('members.emailWrong') }]}
          >
            <Input type="email" autoComplete="off" />
          </Form.Item>
          {installationAdmin && (
            <Form.Item name="name" label={t('common.name')}>
              <Input autoComplete="off" maxLength={120} />
            </Form.Item>
          )}
          <Form.Item name="role" label={t('members.role')} required>
            <Radio.Group options={ROLES.map((role) => ({ value: role, label: t(`roles.${role}`) }))} />
          </Form.Item>
        </Form>
      ) : (
        <SecretOnce value={password} label={t('members.copyPassword')} warning={t('members.passwordOnce')} />
      )}
    </Modal>
  );
}
