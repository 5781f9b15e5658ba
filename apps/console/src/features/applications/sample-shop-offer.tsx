import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { useIsAdmin } from '../auth/session.ts';
import { SampleShopButton } from './sample-shop-button.tsx';
import { isComplete, sampleShopQuery } from './sample-shop.ts';

/** Offers admins to load the sample shop, or leads to it: for pages that can be empty although it is there. */
export function SampleShopOffer() {
  return useIsAdmin() ? <Offer /> : null;
}

function Offer() {
  const { t } = useTranslation();
  const shop = useQuery(sampleShopQuery);
  if (shop.isPending) return null;
  return shop.data != null && isComplete(shop.data) ? (
    <Link to={paths.application(shop.data.identifier)}>{t('sampleShop.open')}</Link>
  ) : (
    <SampleShopButton />
  );
}
