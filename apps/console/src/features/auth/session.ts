import type { SignInResponse } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { keys, restoreSession } from '../../api.ts';

/** Undefined while the session is loading; null if nobody is signed in. */
export function useMaybeSession() {
  return useQuery({
    queryKey: keys.session,
    queryFn: restoreSession,
    staleTime: Infinity,
    gcTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

/** Returns the signed-in user and the space. Only within `SignedIn`. */
export function useSession(): SignInResponse {
  const { data } = useMaybeSession();
  if (data === undefined || data === null) throw new Error('useSession outside of SignedIn');
  return data;
}

export function useIsAdmin(): boolean {
  return useSession().space.role === 'ADMIN';
}
