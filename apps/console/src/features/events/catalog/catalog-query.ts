import type { CatalogApplication, CatalogEvent } from '@platform/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../../api.ts';

/** The registered events of all installed applications. */
export const catalogQuery = queryOptions({
  queryKey: keys.catalog,
  queryFn: () => client.events.catalog(),
});

export interface EventName {
  applicationIdentifier: string;
  event: string;
}

/** Identifies an event in select fields. Application identifiers contain no slash. */
export const formatEventKey = ({ applicationIdentifier, event }: EventName): string =>
  `${applicationIdentifier}/${event}`;

export function parseEventKey(key: string): EventName {
  const slash = key.indexOf('/');
  return { applicationIdentifier: key.slice(0, slash), event: key.slice(slash + 1) };
}

export function findEvent(
  catalog: readonly CatalogApplication[] | undefined,
  { applicationIdentifier, event }: EventName,
): CatalogEvent | undefined {
  return catalog
    ?.find((application) => application.applicationIdentifier === applicationIdentifier)
    ?.events.find(({ name }) => name === event);
}

/** Options of a select field: the events of each application. */
export function listEventOptions(catalog: readonly CatalogApplication[] | undefined) {
  return (catalog ?? []).map(({ applicationIdentifier, name, events }) => ({
    label: name,
    title: applicationIdentifier,
    options: events.map((event) => ({
      value: formatEventKey({ applicationIdentifier, event: event.name }),
      label: event.name,
    })),
  }));
}
