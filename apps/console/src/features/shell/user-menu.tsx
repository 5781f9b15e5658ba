import {
  ApiOutlined,
  BulbOutlined,
  ClockCircleOutlined,
  GlobalOutlined,
  LockOutlined,
  LogoutOutlined,
  MoreOutlined,
} from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { signOut } from '../../api.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../i18n.ts';
import { schemeChoice } from '../../theme.ts';
import { useKeptChoice, type KeptChoice } from '../../ui/browser/kept-choice.ts';
import { timeStyle } from '../../ui/format/time-style.ts';
import { Avatar } from '../../ui/layout/avatar.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Menu } from '../../ui/layout/menu.tsx';
import { useSession } from '../auth/session.ts';

const PasswordDialog = lazyPart(() =>
  import('../auth/password-dialog.tsx').then((module) => ({ default: module.PasswordDialog })),
);
const LANGUAGE_CHOICES = Object.entries(LANGUAGES) as [Language, string][];

const itemsOf = <T extends string>(
  { choices, choose }: KeptChoice<T>,
  current: T,
  icon: ReactNode,
  labelOf: (choice: T) => string,
) =>
  choices.map((choice) => ({
    key: choice,
    icon,
    label: labelOf(choice),
    checked: choice === current,
    onSelect: () => choose(choice),
  }));

const languageItems = (current: string) =>
  LANGUAGE_CHOICES.map(([language, name]) => ({
    key: language,
    icon: <GlobalOutlined aria-hidden />,
    label: <span lang={language}>{name}</span>,
    checked: language === current,
    onSelect: () => void chooseLanguage(language),
  }));

/** Returns a function that signs out. If that fails, it says so, and the user stays signed in and can try again. */
function useSignOut(): () => void {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const leave = useMutation({
    mutationFn: signOut,
    // A message would be gone before somebody notices who has turned away already.
    onError: (error) =>
      void modal.confirm({
        title: t('shell.signOutFailed'),
        content: getErrorMessage(error, t),
        okText: t('common.tryAgain'),
        cancelText: t('shell.signOutLater'),
        onOk: () => leave.mutate(),
      }),
  });
  return () => leave.mutate();
}

export function UserMenu() {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const scheme = useKeptChoice(schemeChoice);
  const times = useKeptChoice(timeStyle);
  const [passwordOpen, setPasswordOpen] = useState(false);
  const leave = useSignOut();

  return (
    <>
      <Menu
        groups={[
          {
            key: 'theme',
            label: t('shell.theme'),
            items: itemsOf(schemeChoice, scheme, <BulbOutlined aria-hidden />, (one) => t(`theme.${one}`)),
          },
          {
            key: 'times',
            label: t('shell.times'),
            items: itemsOf(timeStyle, times, <ClockCircleOutlined aria-hidden />, (one) => t(`times.${one}`)),
          },
          {
            key: 'language',
            label: t('shell.language'),
            items: languageItems(i18n.language),
          },
          {
            key: 'account',
            items: [
              {
                key: 'api-reference',
                icon: <ApiOutlined aria-hidden />,
                label: t('shell.apiReference'),
                onSelect: () => window.open('/api/docs', '_blank', 'noopener'),
              },
              {
                key: 'password',
                icon: <LockOutlined aria-hidden />,
                label: t('password.title'),
                onSelect: () => setPasswordOpen(true),
              },
              {
                key: 'sign-out',
                icon: <LogoutOutlined aria-hidden />,
                label: t('shell.signOut'),
                onSelect: leave,
              },
            ],
          },
        ]}
      >
        {(trigger) => (
          <button type="button" className="user-menu" {...trigger}>
            <span className="visually-hidden">{t('shell.userMenu')}</span>
            <Avatar name={user.name} />
            <span className="grow">
              <span className="truncate">{user.name}</span>
              <small className="truncate muted">{user.email}</small>
            </span>
            <MoreOutlined aria-hidden />
          </button>
        )}
      </Menu>
      {passwordOpen && (
        <Suspense>
          <PasswordDialog onClose={() => setPasswordOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
