import { AUDIT_ACTIONS, type AuditAction } from '@platform/contracts';
import { useMemo } from 'react';
import { findPeriodStart, type Period } from '../../ui/format/periods.ts';
import { useSearchFields } from '../../ui/url/use-search-fields.ts';

export const AUDIT_PERIODS = ['24h', '7d', '30d'] as const satisfies Period[];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface AuditFilters {
  actor?: string;
  action?: AuditAction;
  /** A period that ends now, or `days` for the days from `from` to `to`. */
  time?: (typeof AUDIT_PERIODS)[number] | 'days';
  /** Days in the time zone of the browser, such as `2026-11-22`. */
  from?: string;
  to?: string;
}
type Changes = { [K in keyof AuditFilters]: AuditFilters[K] | undefined };

/** The filters of the audit log. They are in the URL. */
export function useAuditFilters(): [AuditFilters, (changes: Changes) => void] {
  const [search, change] = useSearchFields();
  return [parseAuditFilters(search), change];
}

/** URLs are foreign data: values that do not exist are ignored. */
export function parseAuditFilters(search: URLSearchParams): AuditFilters {
  const actor = search.get('actor') || undefined;
  const action = AUDIT_ACTIONS.find((one) => one === search.get('action'));
  const time = ([...AUDIT_PERIODS, 'days'] as const).find((one) => one === search.get('time'));
  const [from, to] = ['from', 'to'].map((name) => parseDay(search.get(name)));
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(time !== undefined && { time }),
    ...(time === 'days' && from !== undefined && { from }),
    ...(time === 'days' && to !== undefined && { to }),
  };
}

/** Returns the query for the filters. The start of a period stays the same, because cursors belong to one query. */
export function useAuditQuery({ actor, action, time, from, to }: AuditFilters) {
  const range = useMemo(() => findRange({ time, from, to }, Date.now()), [time, from, to]);
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...range,
  };
}

/** Returns the first and the last instant of the period or the days. */
export function findRange(
  { time, from, to }: Pick<Changes, 'time' | 'from' | 'to'>,
  now: number,
): { from?: string; to?: string } {
  if (time === undefined) return {};
  if (time !== 'days') return { from: findPeriodStart(time, now) };
  return {
    ...(from !== undefined && { from: new Date(`${from}T00:00:00.000`).toISOString() }),
    ...(to !== undefined && { to: new Date(`${to}T23:59:59.999`).toISOString() }),
  };
}

function parseDay(value: string | null): string | undefined {
  return value !== null && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}
