import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';

/**
 * What a drawer shows, as a part of the URL. Opening it is an entry of the history: Back closes it, and closing it leaves
 * no entry behind.
 */
export function useDrawerParam(
  name: string,
): [value: string | undefined, open: (value: string) => void, close: () => void] {
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation() as { state: { drawer?: boolean } | null };
  const value = search.get(name) ?? undefined;
  const shown = useRef<string>(undefined);
  useEffect(() => {
    shown.current = value;
    return () => {
      shown.current = undefined;
    };
  }, [value]);
  const open = (next: string) =>
    setSearch(
      (before) => {
        before.set(name, next);
        return before;
      },
      { state: { drawer: true }, replace: value !== undefined, preventScrollReset: true },
    );
  const close = () => {
    // A save may end after Back has closed the drawer: another step back would leave the page.
    if (shown.current === undefined) return;
    if (state?.drawer === true) void navigate(-1);
    else
      setSearch(
        (before) => {
          before.delete(name);
          return before;
        },
        { replace: true },
      );
  };
  return [value, open, close];
}
