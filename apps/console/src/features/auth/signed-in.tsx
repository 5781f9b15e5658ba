import type { SignInResponse } from '@platform/contracts';
import { Suspense, useDeferredValue, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { paths } from '../../paths.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { ErrorState, PageSpinner } from '../../ui/layout/states.tsx';
import { LateExpiredSession } from './late-expired-session.tsx';
import { useMaybeSession } from './session.ts';

const TemporaryPasswordPage = lazyPart(() => import('./temporary-password-page.tsx'));

/**
 * What only people see who are signed in. Others are redirected to the sign-in page and back; whose session ends signs in
 * again over what is shown.
 */
export function SignedIn({ children }: { children: (session: SignInResponse) => ReactNode }) {
  const { pathname, search } = useLocation();
  const session = useMaybeSession();
  // Deferred, so that React renders the page that follows in slices: in one piece, a form holds the browser up for 250 ms.
  const isPending = useDeferredValue(session.isPending);
  if (isPending || session.isPending) return null;
  if (session.isError) return <ErrorState error={session.error} retry={() => void session.refetch()} />;
  if (session.data === null) return <Navigate to={paths.signIn(pathname + search)} replace />;
  return (
    <>
      {session.data.passwordTemporary ? (
        <Suspense fallback={<PageSpinner />}>
          <TemporaryPasswordPage />
        </Suspense>
      ) : (
        children(session.data)
      )}
      <LateExpiredSession />
    </>
  );
}
