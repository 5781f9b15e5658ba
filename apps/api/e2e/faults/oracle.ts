/** A subscription as the test made it. */
export interface Subscribed {
  label: string;
  event: string;
  filter: Record<string, unknown> | null;
  enabled: boolean;
  /** Emissions up to this number of the ledger were sent before it was made; default: none was. */
  createdAfter?: number;
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Who must get an event, recomputed by the rules of the filter and without the code of the service. */
export function expectedLabels(
  subscriptions: readonly Subscribed[],
  { n, event, payload }: { n: number; event: string; payload: Record<string, unknown> },
): string[] {
  const matches = ([field, wanted]: [string, unknown]) =>
    Object.hasOwn(payload, field) &&
    (Array.isArray(wanted) ? wanted : [wanted]).some((one) => canonical(one) === canonical(payload[field]));
  return subscriptions
    .filter((one) => one.enabled && one.event === event && n > (one.createdAfter ?? 0))
    .filter((one) => Object.entries(one.filter ?? {}).every(matches))
    .map(({ label }) => label)
    .sort();
}
