import type { ApplicationManifest, InstalledApplication } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Button, Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { forgetInput } from '../../ui/browser/unsaved-input.ts';
import { NewSecret } from '../../ui/code/new-secret.tsx';
import { useGuardedClose } from '../../ui/forms/use-guarded-close.ts';
import { ManifestInput } from './manifest-input.tsx';
import { ManifestPreview } from './manifest-preview.tsx';
import { parseManifest } from './manifest.ts';

/** Installs an application from its manifest, then shows its system key once. */
export function InstallDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const manifest = parseManifest(text);
  const install = useMutation({
    mutationFn: (value: ApplicationManifest) => client.applications.install(value),
    // An installation changes the catalog, the tasks, and the subscriptions as well.
    onSuccess: () =>
      queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] }),
  });
  const { close, leave } = useGuardedClose(() => text !== '' && !install.data, onClose);
  return (
    <Drawer
      open
      onClose={close}
      size={680}
      title={
        install.data
          ? t('applications.installed', { name: install.data.application.name })
          : t('applications.install')
      }
      // The key can't be read again.
      mask={{ closable: !install.data }}
      keyboard={!install.data}
    >
      {install.data ? (
        <Installed result={install.data} onClose={onClose} />
      ) : (
        <div className="stack">
          <p className="muted">{t('applications.installText')}</p>
          <ManifestInput
            value={text}
            onChange={(next) => {
              setText(next);
              install.reset();
            }}
            error={install.error}
            disabled={install.isPending}
          />
          {manifest && <ManifestPreview manifest={manifest} />}
          <div className="row drawer-buttons">
            <Button onClick={leave}>{t('common.cancel')}</Button>
            <Button
              type="primary"
              disabled={manifest === undefined}
              loading={install.isPending}
              onClick={() => manifest && install.mutate(manifest)}
            >
              {t('applications.installSubmit')}
            </Button>
          </div>
        </div>
      )}
    </Drawer>
  );
}

function Installed({ result, onClose }: { result: InstalledApplication; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { application, systemKey } = result;
  return (
    <div className="stack">
      <p>
        {t('applications.contains', {
          events: application.eventCount,
          tables: application.tableCount,
          tasks: application.taskCount,
        })}
      </p>
      <NewSecret value={systemKey} label={t('applications.copyKey')} warning={t('applications.keyOnce')} />
      <div className="row drawer-buttons">
        <Button onClick={() => void navigate(paths.catalog)}>{t('applications.openCatalog')}</Button>
        <Button
          type="primary"
          onClick={() => {
            forgetInput();
            onClose();
            void navigate(paths.application(application.identifier));
          }}
        >
          {t('common.done')}
        </Button>
      </div>
    </div>
  );
}
