import type { Application, ApplicationDetail, ApplicationManifest } from '@platform/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';

/** How far the sample shop of the space is loaded. */
export interface SampleShop {
  identifier: string;
  /** How many of its events are in the log, counted up to the number of samples. */
  emitted: number;
}

const IDENTIFIER = 'sample-shop';
/** The parts by which the shop is recognized. */
export const TASK = 'pack-express-order';
export const PAID = 'order.paid';
/** How many events it emits. */
export const SAMPLE_COUNT = 3;

export const isComplete = ({ emitted }: SampleShop): boolean => emitted >= SAMPLE_COUNT;

/** The sample shop of the space; null if it is not installed. */
export const sampleShopQuery = queryOptions({
  queryKey: [...keys.applications, 'sample'],
  queryFn: findSampleShop,
});

export const sampleEventsQuery = (identifier: string) =>
  queryOptions({
    queryKey: [...keys.envelopes, 'sample', identifier],
    queryFn: () => countSamples(identifier),
  });

/** Finds the sample shop, installed or not, or else the first identifier that is free. */
export async function findPlace(): Promise<{ identifier: string; application: ApplicationDetail | null }> {
  const known = await loadAllItems<Application>((page) => client.applications.list(page));
  const taken = new Set(known.map(({ identifier }) => identifier));
  for (let n = 1; ; n++) {
    const identifier = n === 1 ? IDENTIFIER : `${IDENTIFIER}-${n}`;
    if (!taken.has(identifier)) return { identifier, application: null };
    const application = await client.applications.get(identifier);
    if (isSampleShop(application.manifest)) return { identifier, application };
  }
}

export async function findSampleShop(): Promise<SampleShop | null> {
  const { identifier, application } = await findPlace();
  return application?.installed === true ? { identifier, emitted: await countSamples(identifier) } : null;
}

async function countSamples(applicationIdentifier: string): Promise<number> {
  const page = await client.events.envelopes({ applicationIdentifier, limit: SAMPLE_COUNT });
  return page.items.length;
}

/** Whether an application is the sample shop, in whatever language, and not another one with its identifier. */
export function isSampleShop({ events = [], tasks = [] }: ApplicationManifest): boolean {
  return tasks.some(({ key }) => key === TASK) && events.some(({ name }) => name === PAID);
}
