import { DeleteOutlined, KeyOutlined, UploadOutlined } from '@ant-design/icons';
import type { ApplicationDetail } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Modal } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { paths } from '../../paths.ts';
import { NewSecret } from '../../ui/code/new-secret.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { ApplicationContents } from './application-contents.tsx';
import { applicationQuery } from './applications-query.ts';
import { SampleShopRest } from './sample-shop-rest.tsx';
import './applications.css';
import { useApplicationActions } from './use-application-actions.ts';

const UpgradeDrawer = lazyPart(() =>
  import('./upgrade-drawer.tsx').then((module) => ({ default: module.UpgradeDrawer })),
);
const OPEN = ['open'] as const;

export function Component() {
  const { identifier = '' } = useParams();
  const application = useQuery(applicationQuery(identifier));
  return <Loaded query={application}>{(loaded) => <Details key={identifier} application={loaded} />}</Loaded>;
}

function Details({ application }: { application: ApplicationDetail }) {
  const { t } = useTranslation();
  const [upgrade, setUpgrade] = useSearchFilter('upgrade', OPEN);
  const [newKey, setNewKey] = useState<string | null>(null);
  const { identifier, name, installed } = application;

  const { rotate, isRotating, uninstall } = useApplicationActions(application, setNewKey);

  return (
    <Page
      title={name}
      description={
        <span className="row wrap">
          <span className="mono">{identifier}</span>
          <span className="badge plain">{application.version}</span>
          {!installed && <span className="badge warning">{t('applications.uninstalled')}</span>}
        </span>
      }
      parent={{ to: paths.applications, label: t('applications.title') }}
      actions={
        installed && (
          <>
            <Button icon={<DeleteOutlined aria-hidden />} onClick={uninstall}>
              {t('applications.uninstall')}
            </Button>
            <Button icon={<KeyOutlined aria-hidden />} loading={isRotating} onClick={rotate}>
              {t('applications.rotate')}
            </Button>
            <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={() => setUpgrade('open')}>
              {t('applications.upgrade')}
            </Button>
          </>
        )
      }
    >
      <div className="stack-cards">
        {!installed && <Alert type="warning" showIcon title={t('applications.uninstalledText')} />}
        <SampleShopRest application={application} />
        <ApplicationContents application={application} onKeyCreated={setNewKey} />
      </div>
      {upgrade !== undefined && installed && (
        <Suspense>
          <UpgradeDrawer application={application} onClose={() => setUpgrade(undefined)} />
        </Suspense>
      )}
      {newKey !== null && <NewKeyDialog systemKey={newKey} onClose={() => setNewKey(null)} />}
    </Page>
  );
}

function NewKeyDialog({ systemKey, onClose }: { systemKey: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      open
      title={t('applications.newKeyTitle')}
      okText={t('common.done')}
      onOk={onClose}
      onCancel={onClose}
      cancelButtonProps={{ style: { display: 'none' } }}
      mask={{ closable: false }}
      keyboard={false}
      closable={false}
    >
      <NewSecret value={systemKey} label={t('applications.copyKey')} warning={t('applications.keyOnce')} />
    </Modal>
  );
}
