import { GiftOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { useIsAdmin } from '../auth/session.ts';
import { SavedViews } from '../views/saved-views.tsx';
import { Balances } from './balances.tsx';
import { EntriesList } from './entries-list.tsx';
import { Storage } from './storage.tsx';
import { Summary } from './summary.tsx';
import { PersonFilter } from '../members/person-filter.tsx';
import './usage.css';

const GrantDialog = lazyPart(() =>
  import('./grant-dialog.tsx').then((module) => ({ default: module.GrantDialog })),
);

export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [granting, setGranting] = useState(false);
  const [user, setUser] = useSearchFilter('user');
  // All other users see only their own usage, whatever the URL contains.
  const userId = isAdmin ? user : undefined;

  return (
    <Page
      title={t('usage.title')}
      description={t('usage.description')}
      actions={
        <>
          {isAdmin && <PersonFilter label={t('usage.user')} value={userId} onChange={setUser} />}
          <SavedViews page="usage" />
          {isAdmin && (
            <Button icon={<GiftOutlined aria-hidden />} onClick={() => setGranting(true)}>
              {t('usage.grant')}
            </Button>
          )}
        </>
      }
    >
      <div className="usage">
        <Balances />
        {isAdmin && <Storage />}
        <Summary userId={userId} />
        <EntriesList userId={userId} />
      </div>
      {granting && (
        <Suspense>
          <GrantDialog userId={userId} onClose={() => setGranting(false)} />
        </Suspense>
      )}
    </Page>
  );
}
