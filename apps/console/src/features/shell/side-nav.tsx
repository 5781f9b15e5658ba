import { SearchOutlined } from '@ant-design/icons';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { paths } from '../../paths.ts';
import { inboxCountQuery } from '../inbox/inbox-query.ts';
import { useIsAdmin } from '../auth/session.ts';
import { Tray } from '../tray/tray.tsx';
import { NAV_SECTIONS, visiblePages } from './nav.ts';
import { MODIFIER } from './shortcuts.ts';
import { SpaceSwitch } from './space-switch.tsx';
import { UserMenu } from './user-menu.tsx';

const MAX_SHOWN = 99;

export function SideNav({ onSearch }: { onSearch: () => void }) {
  const { t } = useTranslation();
  const pages = visiblePages(useIsAdmin());
  return (
    <div className="side-nav">
      <SpaceSwitch />
      <button type="button" className="side-search" onClick={onSearch}>
        <SearchOutlined aria-hidden />
        <span className="grow">{t('shell.search')}</span>
        <kbd aria-hidden>{MODIFIER} K</kbd>
      </button>
      <nav aria-label={t('shell.navigation')}>
        {NAV_SECTIONS.map((section) => (
          <Fragment key={section}>
            {section !== 'work' && <h2>{t(`shell.${section}`)}</h2>}
            <ul>
              {pages
                .filter((page) => page.section === section)
                .map(({ to, label, icon: Icon }) => (
                  <li key={to}>
                    <NavLink to={to} className="side-link">
                      <Icon aria-hidden />
                      {t(label)}
                      {to === paths.inbox && <InboxCount />}
                    </NavLink>
                  </li>
                ))}
            </ul>
          </Fragment>
        ))}
      </nav>
      <Tray />
      <UserMenu />
    </div>
  );
}

/** How many questions wait for the user; nothing if there are none. */
function InboxCount() {
  const { t } = useTranslation();
  const open = useQuery(inboxCountQuery).data?.open ?? 0;
  if (open === 0) return null;
  return (
    <span className="side-count">
      <span aria-hidden>{open > MAX_SHOWN ? `${MAX_SHOWN}+` : open}</span>
      <span className="visually-hidden">{t('shell.openQuestions', { count: open })}</span>
    </span>
  );
}
