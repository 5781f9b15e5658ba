import { useState } from 'react';
import { useSession } from '../../auth/session.ts';
import type { RunOptions } from './call.ts';
import { parseOptions } from './stored-options.ts';

/** The run settings of one agent, or of a page. They survive a reload, in this tab and for this user only. */
export function useRunOptions(name: string): [options: RunOptions, choose: (options: RunOptions) => void] {
  const { user } = useSession();
  const key = `platform.run.${user.id}.${name}`;
  const [options, setOptions] = useState(() => parseOptions(sessionStorage.getItem(key) ?? ''));
  const choose = (next: RunOptions) => {
    setOptions(next);
    store(key, next);
  };
  return [options, choose];
}

function store(key: string, options: RunOptions): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(options));
  } catch {
    // The storage of a tab holds a few megabytes. An older state must not come back in place of what did not fit.
    sessionStorage.removeItem(key);
  }
}
