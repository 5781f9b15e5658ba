import type { ToolAuthStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

/** How a tool authenticates, and whether its secret is missing. */
export function AuthBadge({ auth }: { auth: ToolAuthStatus }) {
  const { t } = useTranslation();
  return (
    <span className="auth-badge">
      {t(`toolPages.authTypes.${auth.type}`)}
      {'configured' in auth && !auth.configured && (
        <span className="badge warning">{t('toolPages.noSecret')}</span>
      )}
    </span>
  );
}
