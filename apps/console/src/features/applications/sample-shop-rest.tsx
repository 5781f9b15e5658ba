import type { ApplicationDetail } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { SampleShopButton } from './sample-shop-button.tsx';
import { isComplete, isSampleShop, SAMPLE_COUNT, sampleEventsQuery } from './sample-shop.ts';

/** Says that the sample shop is not complete, and offers the rest. Nothing for any other application. */
export function SampleShopRest({ application }: { application: ApplicationDetail }) {
  const isShop = application.installed && isSampleShop(application.manifest);
  return isShop ? <Rest identifier={application.identifier} /> : null;
}

function Rest({ identifier }: { identifier: string }) {
  const { t } = useTranslation();
  const { data: emitted } = useQuery(sampleEventsQuery(identifier));
  if (emitted === undefined || isComplete({ identifier, emitted })) return null;
  return (
    <Alert
      type="info"
      showIcon
      title={t('sampleShop.incomplete', { emitted, total: SAMPLE_COUNT })}
      action={<SampleShopButton />}
    />
  );
}
