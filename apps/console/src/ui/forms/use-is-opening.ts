import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * Whether what a form changes is still being loaded. A form does not follow what is loaded later: it must not begin with what an
 * earlier page has left while that is loaded again. `id`: of what it changes.
 */
export function useIsOpening(
  { data, isPending, isFetching }: Pick<UseQueryResult, 'data' | 'isPending' | 'isFetching'>,
  id: string,
): boolean {
  const [begun, setBegun] = useState<string>();
  if (data !== undefined && !isFetching && begun !== id) setBegun(id);
  return isPending || (data !== undefined && isFetching && begun !== id);
}
