import type { ReactNode } from 'react';
import { rank, type Ranked } from './rank.ts';

/** Entries of a group that are shown at once. */
const SHOWN = { actions: 6, pages: 20, agents: 6, conversations: 6, found: 40 };
const GROUPS = ['actions', 'pages', 'agents', 'conversations', 'found'] as const;
export type Group = (typeof GROUPS)[number];

export interface Command extends Ranked {
  id: string;
  group: Group;
  icon: ReactNode;
  /** Shown at the end of the line. */
  hint?: string | undefined;
  /** Shown only if the text matches. */
  isHidden?: boolean;
  /** The service found it, so it is shown whatever the text says. */
  isFound?: boolean;
  run: () => void;
}

/** The commands that a text finds, by group. */
export function arrange(commands: readonly Command[], text: string): { group: Group; items: Command[] }[] {
  const isSearch = text.trim() !== '';
  const [sent, own] = [commands.filter(({ isFound }) => isFound), commands.filter(({ isFound }) => !isFound)];
  const ranked = rank(own, text).filter(({ isHidden }) => isSearch || isHidden !== true);
  const found = [...ranked, ...sent];
  // Without a text, pages and recent conversations are what people look for.
  const order: readonly Group[] = isSearch
    ? GROUPS
    : ['conversations', 'actions', 'agents', 'pages', 'found'];
  return order
    .map((group) => ({
      group,
      items: found.filter((command) => command.group === group).slice(0, isSearch ? SHOWN[group] : 5),
    }))
    .filter(({ items }) => items.length > 0);
}
