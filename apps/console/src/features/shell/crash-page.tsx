import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router';
import { EmptyState } from '../../ui/layout/states.tsx';

/** Shown if the code of a page fails, or cannot be loaded after an update. */
export function CrashPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  return (
    <main className="center-screen" role="alert">
      <EmptyState title={t('crash.title')} text={error instanceof Error ? error.message : String(error)}>
        <Button type="primary" onClick={() => window.location.reload()}>
          {t('crash.reload')}
        </Button>
      </EmptyState>
    </main>
  );
}
