import { CheckOutlined, PlusOutlined, SwapOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { App, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, switchSpace } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { Menu } from '../../ui/layout/menu.tsx';
import { useSession } from '../auth/session.ts';
import { Logo } from './logo.tsx';

export function SpaceSwitch() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { space, spaces, canCreateSpaces } = useSession();
  const [creating, setCreating] = useState(false);

  const change = useMutation({
    mutationFn: switchSpace,
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });

  const create = {
    key: 'new',
    icon: <PlusOutlined aria-hidden />,
    label: t('spaces.create'),
    onSelect: () => setCreating(true),
  };

  return (
    <>
      <Menu
        groups={[
          {
            key: 'spaces',
            items: spaces.map(({ id, name, role }) => ({
              key: id,
              icon: (
                <CheckOutlined aria-hidden style={{ visibility: id === space.id ? 'visible' : 'hidden' }} />
              ),
              label: name,
              extra: t(`roles.${role}`),
              checked: id === space.id,
              onSelect: () => {
                if (id !== space.id) change.mutate(id);
              },
            })),
          },
          ...(canCreateSpaces ? [{ key: 'new', items: [create] }] : []),
        ]}
      >
        {(trigger) => (
          <button
            type="button"
            className="space-switch"
            aria-label={t('spaces.switch', { name: space.name })}
            {...trigger}
          >
            <Logo size={26} />
            <span className="grow truncate">{space.name}</span>
            <SwapOutlined aria-hidden rotate={90} />
          </button>
        )}
      </Menu>
      <CreateSpaceDialog
        open={creating}
        onClose={() => setCreating(false)}
        onCreated={(id) => change.mutate(id)}
      />
    </>
  );
}

interface CreateSpaceDialogProps {
  open: boolean;
  onClose: () => void;
  onCreated: (spaceId: string) => void;
}

function CreateSpaceDialog({ open, onClose, onCreated }: CreateSpaceDialogProps) {
  const { t } = useTranslation();
  return (
    <DialogForm
      open={open}
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
