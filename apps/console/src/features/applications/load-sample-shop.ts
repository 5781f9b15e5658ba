import type { ApplicationDetail } from '@platform/contracts';
import type { TFunction } from 'i18next';
import { client } from '../../api.ts';
import { loadSampleTexts } from '../../i18n.ts';
import { isConflict } from '../../ui/layout/errors.ts';
import { createSampleManifest, SAMPLE_EVENTS } from './sample-manifest.ts';
import { findPlace, findSampleShop, SAMPLE_COUNT, type SampleShop } from './sample-shop.ts';

/** How often another person may be faster. */
const MAX_ATTEMPTS = 3;

/**
 * Installs the sample shop and emits its events. What exists stays as it is: whether the first attempt ended halfway, its
 * response was lost, or another tab does the same, nothing is there twice. Throws an Error that says what exists, and whose
 * cause says what failed.
 */
export async function loadSampleShop(t: TFunction): Promise<SampleShop> {
  await loadSampleTexts();
  let shop: SampleShop | undefined;
  try {
    const { identifier, installedAt } = await ensureInstalled(t);
    shop = { identifier, emitted: 0 };
    for (const { event, payload } of SAMPLE_EVENTS) {
      // Installed again, the shop emits again; the keys of before are taken.
      const idempotencyKey = `sample/${installedAt}/${shop.emitted}`;
      await client.events.emitTest(identifier, event, { payload, idempotencyKey });
      shop = { identifier, emitted: shop.emitted + 1 };
    }
    return shop;
  } catch (error) {
    const known = shop ?? (await findSampleShop().catch(() => undefined));
    throw new Error(`${describe(known, t)} ${t('samples.again')}`, { cause: error });
  }
}

async function ensureInstalled(t: TFunction): Promise<ApplicationDetail> {
  for (let attempt = 1; ; attempt++) {
    const { identifier, application } = await findPlace();
    if (application?.installed === true) return application;
    try {
      const installed = await client.applications.install(createSampleManifest(identifier, t));
      return installed.application;
    } catch (error) {
      // Somebody has installed an application with this identifier in the meantime: this one, or another.
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Says what there is of the shop: null is nothing, undefined could not be found out. */
function describe(shop: SampleShop | null | undefined, t: TFunction): string {
  if (shop === undefined) return t('samples.unknown');
  if (shop === null) return t('samples.nothing');
  return t('samples.part', { ...shop, total: SAMPLE_COUNT });
}
