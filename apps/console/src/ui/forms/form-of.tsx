import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, useState, type ReactNode } from 'react';
import { Loaded } from '../layout/states.tsx';

interface FormOfProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'isFetching' | 'refetch'>;
  /** Of what the form changes. */
  id: string;
  children: (stored: T) => ReactNode;
}

/**
 * Loads what a form changes. What an earlier page has left is shown at once, but a form does not follow what is loaded later: while it is
 * loaded again, nothing can be entered, and if it has changed, the form begins anew.
 */
export function FormOf<T>({ query, id, children }: FormOfProps<T>) {
  const { data, isFetching } = query;
  const [begun, setBegun] = useState({ id, data, n: 0, isOpen: false });
  const isSame = begun.id === id;
  if (!(isSame && begun.isOpen)) {
    const isOpen = data !== undefined && !isFetching;
    const isAnew = !isSame || begun.data !== data;
    if (isAnew || isOpen) setBegun({ id, data, n: isAnew ? begun.n + 1 : begun.n, isOpen });
  }
  return (
    <Loaded query={query}>
      {(stored) => (
        <div className="form-of" inert={!begun.isOpen} aria-busy={!begun.isOpen}>
          <Fragment key={begun.n}>{children(stored)}</Fragment>
        </div>
      )}
    </Loaded>
  );
}
