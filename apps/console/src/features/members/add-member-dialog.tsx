import { ROLES, type AddMemberRequest } from '@platform/contracts';
import { App, Form, Input, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { useSession } from '../auth/session.ts';

/**
 * For installation administrators: adds a user and shows the temporary password of a new one.
 * For all other admins: invites an address.
 */
export function AddMemberDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { installationAdmin, space } = useSession();
  const [created, setCreated] = useState<{ name: string; password: string }>();
  const title = t(installationAdmin ? 'members.add' : 'members.invite');

  return (
    <DialogForm
      title={title}
      submitText={title}
      fields={['email', 'name', 'role']}
      requiredMark={installationAdmin ? 'optional' : false}
      initialValues={{ email: '', name: '', role: 'MEMBER' }}
      width={480}
      save={({ name, ...member }: AddMemberRequest) =>
        client.members.add({ ...member, ...(name && { name }) })
      }
      onSaved={(added, { email }) => {
        void queryClient.invalidateQueries({ queryKey: keys.members });
        void queryClient.invalidateQueries({ queryKey: keys.invitations });
        void queryClient.invalidateQueries({ queryKey: keys.agents });
        if ('status' in added) void message.success(t('members.invited', { email }));
        if ('status' in added || added.temporaryPassword === undefined) onClose();
        else setCreated({ name: added.user.name, password: added.temporaryPassword });
      }}
      onClose={onClose}
      secret={
        created && {
          title: t('members.addedTitle', { name: created.name }),
          value: created.password,
          label: t('members.copyPassword'),
          warning: t('members.passwordOnce'),
        }
      }
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
    </DialogForm>
  );
}
