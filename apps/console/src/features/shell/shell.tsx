import { MenuOutlined } from '@ant-design/icons';
import { App, Button, Drawer } from 'antd';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, Outlet, useLocation, useMatches } from 'react-router';
import { paths } from '../../paths.ts';
import { isOverlay } from '../../ui/overlay.ts';
import { ErrorState, PageSpinner } from '../../ui/states.tsx';
import { useMaybeSession } from '../auth/session.ts';
import { InvitationsBanner } from './invitations-banner.tsx';
import { Logo } from './logo.tsx';
import { SideNav } from './side-nav.tsx';
import './shell.css';

const TemporaryPasswordPage = lazy(() => import('../auth/temporary-password-page.tsx'));

/** The layout of every page. Users who are not signed in are redirected to the sign-in page and back. */
export function Component() {
  const { t } = useTranslation();
  const location = useLocation();
  const session = useMaybeSession();
  const [navOpen, setNavOpen] = useState(false);
  // A drawer that has a path of its own leaves the page behind it where it is.
  const page = useMatches().findLast(({ handle }) => !isOverlay(handle))?.pathname ?? '';
  const main = useMainFocus(page);

  useEffect(() => setNavOpen(false), [location.pathname]);

  if (session.isPending) return <PageSpinner />;
  if (session.isError) return <ErrorState error={session.error} retry={() => void session.refetch()} />;
  if (session.data === null)
    return <Navigate to={paths.signIn(location.pathname + location.search)} replace />;
  if (session.data.passwordTemporary) {
    return (
      <Suspense fallback={<PageSpinner />}>
        <TemporaryPasswordPage />
      </Suspense>
    );
  }

  return (
    <App component={false} message={{ maxCount: 3 }}>
      <div className="shell">
        <a className="skip-link" href="#main">
          {t('shell.skip')}
        </a>
        <aside className="shell-side">
          <SideNav />
        </aside>
        <header className="shell-top">
          <Button
            type="text"
            icon={<MenuOutlined aria-hidden />}
            aria-label={t('shell.openNavigation')}
            onClick={() => setNavOpen(true)}
          />
          <Logo size={22} />
          <span className="truncate">{session.data.space.name}</span>
        </header>
        <Drawer
          open={navOpen}
          onClose={() => setNavOpen(false)}
          placement="left"
          size={272}
          closable={false}
          styles={{ body: { padding: 0 } }}
          aria-label={t('shell.navigation')}
        >
          <SideNav />
        </Drawer>
        <main id="main" ref={main} tabIndex={-1} className="shell-main">
          <InvitationsBanner />
          <Suspense fallback={<PageSpinner />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
    </App>
  );
}

/** Moves the keyboard focus to the content after navigation. */
function useMainFocus(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.scrollTo(0, 0);
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}
