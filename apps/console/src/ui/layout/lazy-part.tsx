import { Button } from 'antd';
import { lazy, useEffect, useState, type ComponentType, type LazyExoticComponent } from 'react';
import { useTranslation } from 'react-i18next';
import { hasNewVersion, loadCode } from '../browser/load-code.ts';
import { whenOnline } from '../browser/online.ts';

interface PartModule<Props> {
  default: ComponentType<Props>;
}

/**
 * A part of a page whose code is loaded when it is shown. Unlike with React's own `lazy`, the page with all that was entered stays if
 * that fails: offline, it waits for the connection, and otherwise the part says so, and is loaded when the user wants.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<PartModule<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    await whenOnline();
    try {
      return await loadCode(load);
    } catch {
      const isOutdated = await hasNewVersion();
      let loaded: ComponentType<Props> | null = null;
      const Part = (props: Props) => {
        const [Loaded, setLoaded] = useState(() => loaded);
        if (Loaded !== null) return <Loaded {...props} />;
        const retry = async () => {
          loaded = (await loadCode(load)).default;
          setLoaded(() => loaded);
        };
        return <LatePart retry={retry} isOutdated={isOutdated} />;
      };
      return { default: Part };
    }
  });
}

function LatePart({ retry, isOutdated }: { retry: () => Promise<void>; isOutdated: boolean }) {
  const { t } = useTranslation();
  const [isLoading, setLoading] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const load = () => {
    setLoading(true);
    void retry().catch(() => {
      setLoading(false);
      setFailed(true);
    });
  };
  useRetryOnline(load);
  return (
    <div className="row wrap" role="alert">
      <span>{t(isOutdated ? 'late.newVersionText' : 'late.part')}</span>
      {!isOutdated && (
        <Button size="small" loading={isLoading} onClick={load}>
          {t('common.tryAgain')}
        </Button>
      )}
      {/* Some browsers remember that a file could not be loaded, until the page is loaded again. */}
      {(isOutdated || hasFailed) && (
        <Button size="small" onClick={() => window.location.reload()}>
          {t('crash.reload')}
        </Button>
      )}
    </div>
  );
}

/** Tries again as soon as the connection is back. */
export function useRetryOnline(retry: () => void): void {
  useEffect(() => {
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  });
}
