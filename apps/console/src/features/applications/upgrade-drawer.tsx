import type { ApplicationDetail, ApplicationManifest, UpgradeResult } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Alert, App, Button, Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { formatJson } from '../../ui/code/json-view.tsx';
import { useGuardedClose } from '../../ui/forms/use-guarded-close.ts';
import { useTaskName } from '../tasks/task-names.ts';
import { ManifestInput } from './manifest-input.tsx';
import { parseManifest } from './manifest.ts';

interface UpgradeDrawerProps {
  application: ApplicationDetail;
  onClose: () => void;
}

/** Replaces the manifest of an application: first shows what would change and break. */
export function UpgradeDrawer({ application, onClose }: UpgradeDrawerProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { identifier } = application;
  const [stored] = useState(() => formatJson(application.manifest));
  const [text, setText] = useState(stored);
  const { close, leave, release } = useGuardedClose(() => text !== stored, onClose);
  const manifest = parseManifest(text);
  const preview = useMutation({
    mutationFn: (value: ApplicationManifest) =>
      client.applications.upgrade(identifier, value, { dryRun: true }),
  });
  const upgrade = useMutation({
    mutationFn: (value: ApplicationManifest) => client.applications.upgrade(identifier, value),
    onSuccess: async ({ application: upgraded }) => {
      release();
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] });
      void message.success(t('applications.upgraded', { version: upgraded.version }));
      leave();
    },
  });
  // What was previewed must be what is upgraded.
  const change = (next: string) => {
    setText(next);
    preview.reset();
    upgrade.reset();
  };

  return (
    <Drawer
      open
      onClose={close}
      size={720}
      title={t('applications.upgradeTitle', { name: application.name })}
    >
      <div className="stack">
        <p className="muted">{t('applications.upgradeText')}</p>
        <ManifestInput
          value={text}
          onChange={change}
          error={preview.error ?? upgrade.error}
          disabled={upgrade.isPending}
        />
        {preview.data && (
          <Preview
            result={preview.data}
            versions={{ from: application.version, to: manifest?.version ?? '' }}
          />
        )}
        <div className="row drawer-buttons">
          <Button onClick={leave}>{t('common.cancel')}</Button>
          {preview.data === undefined ? (
            <Button
              type="primary"
              disabled={manifest === undefined}
              loading={preview.isPending}
              onClick={() => manifest && preview.mutate(manifest)}
            >
              {t('applications.preview')}
            </Button>
          ) : (
            <Button
              type="primary"
              danger={preview.data.brokenSubscriptions.length > 0}
              loading={upgrade.isPending}
              onClick={() => manifest && upgrade.mutate(manifest)}
            >
              {t('applications.upgradeSubmit')}
            </Button>
          )}
        </div>
      </div>
    </Drawer>
  );
}

const TONES = { added: 'success', changed: 'warning', removed: 'danger' } as const;

interface PreviewProps {
  result: UpgradeResult;
  versions: { from: string; to: string };
}

function Preview({ result, versions }: PreviewProps) {
  const { t } = useTranslation();
  const taskName = useTaskName();
  const { changes, brokenSubscriptions } = result;
  return (
    <section className="stack upgrade-preview" aria-label={t('applications.preview')} aria-live="polite">
      <h2>{t('applications.versions', versions)}</h2>
      {changes.length === 0 && <p className="muted">{t('applications.noChanges')}</p>}
      <ul className="contents">
        {changes.map(({ kind, name, change }) => (
          <li key={`${kind} ${name}`} className="row wrap">
            <span className={`badge ${TONES[change]}`}>{t(`applications.changes.${change}`)}</span>
            <span className="muted">{t(`applications.kinds.${kind}`)}</span>
            <span className="mono">{name}</span>
          </li>
        ))}
      </ul>
      {brokenSubscriptions.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t('applications.broken', { count: brokenSubscriptions.length })}
          description={
            <ul className="contents">
              {brokenSubscriptions.map(({ subscriptionId, event, taskId, reason }) => (
                <li key={subscriptionId}>
                  <Link to={`${paths.subscriptions}?subscription=${subscriptionId}`} target="_blank">
                    <span className="mono">{event}</span> → {taskName({ taskId })}
                  </Link>
                  <p>{reason}</p>
                </li>
              ))}
            </ul>
          }
        />
      )}
    </section>
  );
}
