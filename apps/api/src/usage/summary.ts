import type { UsageFigures, UsageGroup, UsageGrouping } from '@platform/contracts';

const DAY = 86_400_000;
const MAX_GROUPS = 200;

export const NO_USAGE: Readonly<UsageFigures> = {
  calls: 0,
  tokens: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0,
};

/** Arranges groups for a chart: every UTC day of the window, or the groups with the most tokens first. */
export function arrangeGroups(
  groups: UsageGroup[],
  groupBy: UsageGrouping,
  from: Date,
  to: Date,
): UsageGroup[] {
  if (groupBy !== 'day') return groups.toSorted((a, b) => b.tokens - a.tokens).slice(0, MAX_GROUPS);
  const used = new Map(groups.map((group) => [group.key, group]));
  return daysBetween(from, to).map((key) => used.get(key) ?? { key, ...NO_USAGE });
}

/** Returns the UTC days in a window, such as 2026-01-31. */
export function daysBetween(from: Date, to: Date): string[] {
  const days: string[] = [];
  const first = Math.floor(from.getTime() / DAY) * DAY;
  for (let day = first; day <= to.getTime(); day += DAY) days.push(new Date(day).toISOString().slice(0, 10));
  return days;
}
