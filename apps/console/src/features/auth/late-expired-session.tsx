import { lazy, Suspense, useEffect, useState, type ComponentType } from 'react';
import { setSession } from '../../api.ts';
import { useExpiry } from '../../ui/browser/expiry.ts';

const load = () => import('./expired-session.tsx');
const ExpiredSession = lazy<ComponentType>(() =>
  load().then(
    ({ ExpiredSession: Loaded }) => ({ default: Loaded }),
    () => ({ default: SignInPage }),
  ),
);

/** Asks for the password once the session has ended. */
export function LateExpiredSession() {
  const isExpired = useExpiry() !== null;
  const [wasExpired, setExpired] = useState(false);
  if (isExpired && !wasExpired) setExpired(true);

  // Once there is something to lose, the code must be there, whatever happens to the files of this version.
  useEffect(() => {
    const prepare = () => void load().catch(() => undefined);
    document.addEventListener('input', prepare, { once: true });
    return () => document.removeEventListener('input', prepare);
  }, []);
  if (!wasExpired) return null;
  return (
    <Suspense>
      <ExpiredSession />
    </Suspense>
  );
}

/** Goes to the sign-in page, whose code could not be loaded here. */
function SignInPage() {
  const isExpired = useExpiry() !== null;
  useEffect(() => {
    if (isExpired) setSession(null);
  }, [isExpired]);
  return null;
}
