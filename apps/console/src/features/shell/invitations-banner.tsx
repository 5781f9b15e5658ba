import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { invitationsQuery } from './invitations-query.ts';

const InvitationNotices = lazyPart(() =>
  import('./invitation-notices.tsx').then((module) => ({ default: module.InvitationNotices })),
);

/** The pending invitations of the user, shown above every page. */
export function InvitationsBanner() {
  const invitations = useQuery(invitationsQuery);
  const [isNeeded, setNeeded] = useState(false);
  if (!isNeeded && (invitations.data?.items.length ?? 0) > 0) setNeeded(true);
  if (!isNeeded) return null;
  return (
    <Suspense>
      <InvitationNotices />
    </Suspense>
  );
}
