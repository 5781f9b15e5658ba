import { SearchOutlined } from '@ant-design/icons';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';
import { useIsAdmin } from '../auth/session.ts';
import { NAV_SECTIONS, visiblePages } from './nav.ts';
import { MODIFIER } from './shortcuts.ts';
import { SpaceSwitch } from './space-switch.tsx';
import { UserMenu } from './user-menu.tsx';

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
                    </NavLink>
                  </li>
                ))}
            </ul>
          </Fragment>
        ))}
      </nav>
      <UserMenu />
    </div>
  );
}
