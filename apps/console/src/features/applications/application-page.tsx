import { DeleteOutlined, KeyOutlined, UploadOutlined } from '@ant-design/icons';
import type { ApplicationDetail, RotatedSystemKey } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, App, Button, Modal } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { NewSecret } from '../../ui/code/new-secret.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { ErrorState, PageSpinner } from '../../ui/layout/states.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { ApplicationContents } from './application-contents.tsx';
import './applications.css';

const UpgradeDrawer = lazy(() =>
  import('./upgrade-drawer.tsx').then((module) => ({ default: module.UpgradeDrawer })),
);
const OPEN = ['open'] as const;

export function Component() {
  const { identifier = '' } = useParams();
  const application = useQuery({
    queryKey: keys.application(identifier),
    queryFn: () => client.applications.get(identifier),
  });
  if (application.isPending) return <PageSpinner />;
  if (application.data === undefined)
    return <ErrorState error={application.error} retry={() => void application.refetch()} />;
  return <Details application={application.data} />;
}

function Details({ application }: { application: ApplicationDetail }) {
  const { t } = useTranslation();
  const { message, modal } = App.useApp();
  const confirm = useConfirmDelete();
  const [upgrade, setUpgrade] = useSearchFilter('upgrade', OPEN);
  const [newKey, setNewKey] = useState<RotatedSystemKey | null>(null);
  const { identifier, name, installed } = application;

  const rotate = useMutation({
    mutationFn: () => client.applications.rotateKey(identifier),
    onSuccess: async (key) => {
      setNewKey(key);
      await queryClient.invalidateQueries({ queryKey: keys.applications });
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const confirmRotate = () =>
    void modal.confirm({
      title: t('applications.rotateTitle', { name }),
      content: t('applications.rotateText'),
      okText: t('applications.rotate'),
      okButtonProps: { danger: true },
      cancelText: t('common.cancel'),
      onOk: () => rotate.mutate(),
    });
  const uninstall = () =>
    confirm({
      title: t('applications.uninstallTitle', { name }),
      text: t('applications.uninstallText'),
      verb: t('applications.uninstall'),
      run: async () => {
        await client.applications.uninstall(identifier);
        await queryClient.invalidateQueries();
      },
    });

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
            <Button icon={<KeyOutlined aria-hidden />} loading={rotate.isPending} onClick={confirmRotate}>
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
        <ApplicationContents application={application} />
      </div>
      {upgrade !== undefined && installed && (
        <Suspense>
          <UpgradeDrawer application={application} onClose={() => setUpgrade(undefined)} />
        </Suspense>
      )}
      {newKey !== null && (
        <Modal
          open
          title={t('applications.newKeyTitle')}
          okText={t('common.done')}
          onOk={() => setNewKey(null)}
          onCancel={() => setNewKey(null)}
          cancelButtonProps={{ style: { display: 'none' } }}
          mask={{ closable: false }}
          keyboard={false}
          closable={false}
        >
          <NewSecret
            value={newKey.systemKey}
            label={t('applications.copyKey')}
            warning={t('applications.keyOnce')}
          />
        </Modal>
      )}
    </Page>
  );
}
