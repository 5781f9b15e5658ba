import { useSyncExternalStore } from 'react';

/** A choice that is kept in this browser, and that all its windows follow. */
export interface KeptChoice<T extends string> {
  choices: readonly T[];
  read: () => T;
  choose: (choice: T) => void;
  /** Returns a function that unsubscribes. */
  subscribe: (listener: () => void) => () => void;
}

/** The first choice is the default. */
export function keepChoice<T extends string>(
  storageKey: string,
  choices: readonly [T, ...T[]],
): KeptChoice<T> {
  const listeners = new Set<() => void>();
  const announce = () => listeners.forEach((listener) => listener());
  // The key is null if everything was removed.
  window.addEventListener('storage', ({ key }) => {
    if (key === storageKey || key === null) announce();
  });
  return {
    choices,
    read: () => choices.find((choice) => choice === localStorage.getItem(storageKey)) ?? choices[0],
    choose: (choice) => {
      if (choice === choices[0]) localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, choice);
      announce();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useKeptChoice = <T extends string>({ subscribe, read }: KeptChoice<T>): T =>
  useSyncExternalStore(subscribe, read);
