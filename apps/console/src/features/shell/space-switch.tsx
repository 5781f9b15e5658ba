import { CheckOutlined, PlusOutlined, SwapOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { switchSpace } from '../../api.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Menu } from '../../ui/layout/menu.tsx';
import { useSession } from '../auth/session.ts';
import { Logo } from './logo.tsx';

const CreateSpaceDialog = lazyPart(() =>
  import('./create-space-dialog.tsx').then((module) => ({ default: module.CreateSpaceDialog })),
);

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
      {creating && (
        <Suspense>
          <CreateSpaceDialog onClose={() => setCreating(false)} onCreated={(id) => change.mutate(id)} />
        </Suspense>
      )}
    </>
  );
}
