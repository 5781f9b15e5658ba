import { canonicalQuery, type SavedView, type SavedViewPage } from '@platform/contracts';
import type { To } from 'react-router';
import { paths } from '../../paths.ts';

const TIMED = ['applicationIdentifier', 'event', 'since', 'from', 'to'];

/** The lists whose filters can be saved: where they are, their name, and which fields of the URL are filters. */
export const VIEW_PAGES = {
  runs: {
    to: paths.runs(),
    label: 'shell.pages.runs',
    fields: ['status', 'origin', 'taskId', 'ownerUserId', 'errorCode', 'text', ...TIMED],
  },
  'event-log': {
    to: paths.eventLog(),
    label: 'shell.pages.eventLog',
    fields: ['status', 'outcome', 'text', 'idempotencyKey', ...TIMED],
  },
  tasks: { to: paths.tasks, label: 'shell.pages.tasks', fields: ['type', 'sort', 'q'] },
  traces: {
    to: paths.traces(),
    label: 'shell.pages.traces',
    fields: ['scope', 'agent', 'session', 'run', 'user', 'status', 'model', 'since', 'q'],
  },
  jobs: { to: paths.jobs, label: 'jobs.title', fields: ['status'] },
  'webhook-deliveries': {
    to: paths.webhooks,
    tab: 'deliveries',
    label: 'shell.pages.webhooks',
    fields: ['status', 'time', 'jobId'],
  },
  'notification-deliveries': {
    to: paths.notifications,
    tab: 'deliveries',
    label: 'shell.pages.notifications',
    fields: ['status'],
  },
  audit: { to: paths.audit(), label: 'shell.pages.audit', fields: ['actor', 'action', 'time', 'from', 'to'] },
  usage: { to: paths.usage, label: 'usage.title', fields: ['user', 'window', 'by', 'model', 'source'] },
} as const satisfies Record<
  SavedViewPage,
  { to: string; tab?: string; label: string; fields: readonly string[] }
>;

/** The fields of a query that are filters of the page. A view of somebody else opens no dialog, whatever it contains. */
export function filtersOf(page: SavedViewPage, query: string | URLSearchParams): string {
  const fields: readonly string[] = VIEW_PAGES[page].fields;
  const filters = [...new URLSearchParams(query)].filter(([name]) => fields.includes(name));
  return canonicalQuery(new URLSearchParams(filters).toString());
}

/** Where a view is open. */
export function targetOf({ id, page, query }: SavedView): To {
  const target: { to: string; tab?: string } = VIEW_PAGES[page];
  const search = new URLSearchParams(filtersOf(page, query));
  if (target.tab !== undefined) search.set('tab', target.tab);
  search.set('view', id);
  return { pathname: target.to, search: search.toString() };
}
