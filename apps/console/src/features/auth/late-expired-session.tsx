import { useEffect, useState, type ComponentType } from 'react';
import { setSession } from '../../api.ts';
import { useExpiry } from '../../ui/browser/expiry.ts';
import { loadCode } from '../../ui/browser/load-code.ts';

const load = () => loadCode(() => import('./expired-session.tsx'));

/** Asks for the password once the session has ended; on the sign-in page if the code for it cannot be loaded. */
export function LateExpiredSession() {
  const isExpired = useExpiry() !== null;
  const [Dialog, setDialog] = useState<ComponentType | null>(null);

  // Once there is something to lose, the code must be there, whatever happens to the files of this version.
  useEffect(() => {
    const prepare = () => void load().catch(() => undefined);
    document.addEventListener('input', prepare, { once: true });
    return () => document.removeEventListener('input', prepare);
  }, []);

  useEffect(() => {
    if (!isExpired || Dialog !== null) return undefined;
    let isWanted = true;
    load().then(
      ({ ExpiredSession }) => isWanted && setDialog(() => ExpiredSession),
      () => isWanted && setSession(null),
    );
    return () => {
      isWanted = false;
    };
  }, [isExpired, Dialog]);

  return Dialog === null ? null : <Dialog />;
}
