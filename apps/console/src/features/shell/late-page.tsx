import { Button } from 'antd';
import { useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/layout/states.tsx';

export interface PageModule {
  Component: ComponentType;
}

/** Pauses before a file is asked for again. */
const PAUSES_MS = [400, 1_600];

/**
 * Loads the code of a page. If that fails, the rest of the console stays: the page says so, and tries again when the user
 * wants. React Router would keep the failure until the next reload.
 */
export function page<Loaded extends PageModule>(load: () => Promise<Loaded>): () => Promise<PageModule> {
  return async () => {
    try {
      return await loadPatiently(load);
    } catch {
      const isOutdated = await hasNewVersion();
      return { Component: () => <LatePage load={load} isOutdated={isOutdated} /> };
    }
  };
}

/** Loads code, and asks again for what could not be loaded. */
async function loadPatiently<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load();
}

/** Whether the service has another version than the one that runs here: then the files of this one are gone. */
async function hasNewVersion(): Promise<boolean> {
  const running = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  if (running == null) return false;
  try {
    const response = await fetch('/', { cache: 'no-store', headers: { Accept: 'text/html' } });
    return response.ok && !(await response.text()).includes(running);
  } catch {
    return false;
  }
}

export function LatePage({ load, isOutdated }: { load: () => Promise<PageModule>; isOutdated: boolean }) {
  const { t } = useTranslation();
  const [loaded, setLoaded] = useState<PageModule | null>(null);
  const [isLoading, setLoading] = useState(false);
  if (loaded !== null) return <loaded.Component />;

  const retry = () => {
    setLoading(true);
    load().then(setLoaded, () => setLoading(false));
  };
  return (
    <div className="center-screen" role="alert">
      <h1 className="visually-hidden">{t('late.title')}</h1>
      <EmptyState
        title={t(isOutdated ? 'late.newVersion' : 'late.title')}
        text={t(isOutdated ? 'late.newVersionText' : 'late.text')}
      >
        {!isOutdated && (
          <Button type="primary" loading={isLoading} onClick={retry}>
            {t('common.tryAgain')}
          </Button>
        )}
        <Button type={isOutdated ? 'primary' : 'default'} onClick={() => window.location.reload()}>
          {t('crash.reload')}
        </Button>
      </EmptyState>
    </div>
  );
}
