import type { Tool } from '@platform/contracts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';

/** Says that methods are not used, and where they are approved. */
export function WaitingMethods({ tool, isEditable }: { tool: Tool; isEditable: boolean }) {
  const { t } = useTranslation();
  const waiting = tool.methods.filter(({ pending }) => pending !== null).length;
  if (waiting === 0) return null;
  return (
    <Alert
      type="warning"
      showIcon
      title={t('toolMcp.waiting', { count: waiting })}
      action={isEditable && <Link to={paths.reimportTool(tool.id)}>{t('toolMcp.review')}</Link>}
    />
  );
}
