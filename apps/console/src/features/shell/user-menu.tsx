import { BulbOutlined, GlobalOutlined, LockOutlined, LogoutOutlined, MoreOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { App, Dropdown } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { signOut } from '../../api.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../i18n.ts';
import { chooseScheme, useSchemeChoice, type SchemeChoice } from '../../theme.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { getErrorMessage } from '../../ui/errors.ts';
import { useSession } from '../auth/session.ts';

const PasswordDialog = lazy(() =>
  import('../auth/password-dialog.tsx').then((module) => ({ default: module.PasswordDialog })),
);
const CHOICES: SchemeChoice[] = ['system', 'light', 'dark'];

export function UserMenu() {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const { user } = useSession();
  const choice = useSchemeChoice();
  const [passwordOpen, setPasswordOpen] = useState(false);
  const leave = useMutation({
    mutationFn: signOut,
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });

  return (
    <>
      <Dropdown
        trigger={['click']}
        placement="topLeft"
        menu={{
          selectable: true,
          selectedKeys: [`theme-${choice}`, `language-${i18n.language}`],
          items: [
            {
              key: 'theme',
              type: 'group',
              label: t('shell.theme'),
              children: CHOICES.map((scheme) => ({
                key: `theme-${scheme}`,
                icon: <BulbOutlined aria-hidden />,
                label: t(`theme.${scheme}`),
                onClick: () => chooseScheme(scheme),
              })),
            },
            {
              key: 'language',
              type: 'group',
              label: t('shell.language'),
              children: Object.entries(LANGUAGES).map(([language, name]) => ({
                key: `language-${language}`,
                icon: <GlobalOutlined aria-hidden />,
                label: <span lang={language}>{name}</span>,
                onClick: () => void chooseLanguage(language as Language),
              })),
            },
            { type: 'divider' },
            {
              key: 'password',
              icon: <LockOutlined aria-hidden />,
              label: t('password.title'),
              onClick: () => setPasswordOpen(true),
            },
            {
              key: 'sign-out',
              icon: <LogoutOutlined aria-hidden />,
              label: t('shell.signOut'),
              onClick: () => leave.mutate(),
            },
          ],
        }}
      >
        <button type="button" className="user-menu">
          <span className="visually-hidden">{t('shell.userMenu')}</span>
          <Avatar name={user.name} />
          <span className="grow">
            <span className="truncate">{user.name}</span>
            <small className="truncate muted">{user.email}</small>
          </span>
          <MoreOutlined aria-hidden />
        </button>
      </Dropdown>
      {passwordOpen && (
        <Suspense>
          <PasswordDialog open onClose={() => setPasswordOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
