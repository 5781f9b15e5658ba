import { MenuOutlined, SearchOutlined } from '@ant-design/icons';
import { App, Button, Drawer } from 'antd';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  NavigationType,
  Outlet,
  useBeforeUnload,
  useLocation,
  useMatches,
  useNavigationType,
} from 'react-router';
import { loadTraceTexts } from '../../i18n.ts';
import { LeaveGuard } from '../../ui/forms/leave-guard.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { isOverlay } from '../../ui/layout/overlay.ts';
import { PageSpinner } from '../../ui/layout/states.tsx';
import { useKeptFocus } from '../../ui/layout/use-kept-focus.ts';
import { SignedIn } from '../auth/signed-in.tsx';
import { FeedNotice } from '../changes/feed-notice.tsx';
import { useChanges } from '../changes/use-changes.ts';
import { uploads } from '../knowledge/uploads.ts';
import { Tray } from '../tray/tray.tsx';
import { InvitationsBanner } from './invitations-banner.tsx';
import { Logo } from './logo.tsx';
import { visiblePages } from './nav.ts';
import { useShortcuts } from './shortcuts.ts';
import { SideNav } from './side-nav.tsx';
import { WaitNotice } from './wait-notice.tsx';
import './shell.css';

/** How long the page waits for content before it gives up on the former scroll position. */
const RESTORE_MS = 2_000;
const CommandMenu = lazyPart(async () => {
  const [{ CommandMenu }] = await Promise.all([import('./command-menu.tsx'), loadTraceTexts()]);
  return { default: CommandMenu };
});
const ShortcutsDialog = lazyPart(async () => {
  const [{ ShortcutsDialog }] = await Promise.all([import('./shortcuts-dialog.tsx'), loadTraceTexts()]);
  return { default: ShortcutsDialog };
});

/** The layout of every page. */
export function Component() {
  return (
    <SignedIn>
      {({ space }) => (
        <App component={false} message={{ maxCount: 3, top: 72 }}>
          <Frame spaceName={space.name} isAdmin={space.role === 'ADMIN'} />
        </App>
      )}
    </SignedIn>
  );
}

/** The navigation, the page, and the menus that keys open. */
function Frame({ spaceName, isAdmin }: { spaceName: string; isAdmin: boolean }) {
  const { t } = useTranslation();
  const location = useLocation();
  const [navOpen, setNavOpen] = useState(false);
  const [overlay, setOverlay] = useState<'menu' | 'help' | null>(null);
  // A drawer that has a path of its own leaves the page behind it where it is.
  const page = useMatches().findLast(({ handle }) => !isOverlay(handle))?.pathname ?? '';
  const main = useMainFocus(page);
  useKeptFocus(main);
  const isPolling = useChanges();
  useUploads();
  const close = useCallback(() => setOverlay(null), []);
  const openHelp = useCallback(() => setOverlay('help'), []);
  const openMenu = useCallback(() => {
    setNavOpen(false);
    setOverlay((open) => (open === 'menu' ? null : 'menu'));
  }, []);
  useShortcuts({ pages: visiblePages(isAdmin), onMenu: openMenu, onHelp: openHelp });
  useEffect(() => setNavOpen(false), [location.pathname]);

  return (
    <>
      <div className="shell">
        <a className="skip-link" href="#main">
          {t('shell.skip')}
        </a>
        <aside className="shell-side">
          <SideNav onSearch={openMenu} />
        </aside>
        <header className="shell-top">
          <Button
            type="text"
            icon={<MenuOutlined aria-hidden />}
            aria-label={t('shell.openNavigation')}
            onClick={() => setNavOpen(true)}
          />
          <Logo size={22} />
          <span className="truncate">{spaceName}</span>
          <Button
            className="top-search"
            type="text"
            icon={<SearchOutlined aria-hidden />}
            aria-label={t('shell.search')}
            onClick={openMenu}
          />
          <Tray />
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
          <SideNav onSearch={openMenu} />
        </Drawer>
        <main id="main" ref={main} tabIndex={-1} className="shell-main">
          <FeedNotice isPolling={isPolling} />
          <InvitationsBanner />
          <Suspense fallback={<PageSpinner />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <LeaveGuard />
      <WaitNotice />
      <Suspense>
        {overlay === 'menu' && <CommandMenu onClose={close} onHelp={openHelp} />}
        {overlay === 'help' && <ShortcutsDialog onClose={close} />}
      </Suspense>
    </>
  );
}

/** Ends the uploads with the session, and asks before they are lost with the tab. */
function useUploads(): void {
  // Who signs in next must neither send nor see the files of another.
  useEffect(
    () => () => {
      uploads.stop();
      uploads.clear();
    },
    [],
  );
  useBeforeUnload((event) => {
    if (uploads.isSending) event.preventDefault();
  });
}

/** Moves the keyboard focus to the content after navigation, and scrolls to where the user was before on Back. */
function useMainFocus(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  const positions = useRef(new Map<string, number>());
  const { key } = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop;

  useEffect(() => {
    const element = main.current;
    const onScroll = () => positions.current.set(key, element?.scrollTop ?? 0);
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => element?.removeEventListener('scroll', onScroll);
  }, [key]);

  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
    const position = isBack ? (positions.current.get(key) ?? 0) : 0;
    return scrollWhenTall(main.current, position);
  }, [pathname, key, isBack]);
  return main;
}

/** Scrolls as soon as the content is long enough, which it may not be before its data is there. */
function scrollWhenTall(element: HTMLElement | null, position: number): (() => void) | undefined {
  element?.scrollTo(0, position);
  if (element === null || element.scrollTop >= position) return undefined;
  const stop = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  const observer = new MutationObserver(() => {
    element.scrollTo(0, position);
    if (element.scrollTop >= position) stop();
  });
  observer.observe(element, { childList: true, subtree: true });
  const timer = setTimeout(stop, RESTORE_MS);
  return stop;
}
