import { Button } from 'antd';
import { useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { hasNewVersion, loadCode } from '../../ui/browser/load-code.ts';
import { useRetryOnline } from '../../ui/layout/lazy-part.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';

export interface PageModule {
  Component: ComponentType;
}

/**
 * Loads the code of a page. If that fails, the rest of the console stays: the page says so, and tries again when the user
 * wants. React Router would keep the failure until the next reload.
 */
export function page<Loaded extends PageModule>(load: () => Promise<Loaded>): () => Promise<PageModule> {
  return async () => {
    try {
      return await loadCode(load);
    } catch {
      const isOutdated = await hasNewVersion();
      return { Component: () => <LatePage load={load} isOutdated={isOutdated} /> };
    }
  };
}

export function LatePage({ load, isOutdated }: { load: () => Promise<PageModule>; isOutdated: boolean }) {
  const { t } = useTranslation();
  const [loaded, setLoaded] = useState<PageModule | null>(null);
  const [isLoading, setLoading] = useState(false);
  const retry = () => {
    setLoading(true);
    loadCode(load).then(setLoaded, () => setLoading(false));
  };
  useRetryOnline(retry);
  if (loaded !== null) return <loaded.Component />;

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
