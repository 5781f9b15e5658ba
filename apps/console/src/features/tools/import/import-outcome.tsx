import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/layout/card.tsx';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { AddToAgent } from '../agents/add-to-agent.tsx';
import type { ImportOutcome, RefusedMethod } from './import-tool.ts';

interface ImportOutcomeCardProps {
  outcome: ImportOutcome;
  isRetrying: boolean;
  onRetry: () => void;
}

/** What became of an import that stored only a part of the methods. */
export function ImportOutcomeCard({
  outcome: { tool, refused, rest, error },
  isRetrying,
  onRetry,
}: ImportOutcomeCardProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const detail = { count: tool.methodCount, total: tool.methodCount + refused.length + rest.length };
  return (
    <Card title={t('toolImport.partly', { name: tool.name })}>
      <div className="stack">
        <p role="status">{t('toolImport.storedOf', detail)}</p>
        {rest.length > 0 && (
          <Alert
            type="error"
            showIcon
            title={t('toolImport.interrupted', { count: rest.length, message: getErrorMessage(error, t) })}
          />
        )}
        <RefusedMethods refused={refused} />
        <div className="row wrap">
          <Button type="primary" onClick={() => void navigate(paths.tool(tool.id))}>
            {t('toolImport.openTool')}
          </Button>
          <AddToAgent tool={tool} />
          {rest.length > 0 && (
            <Button loading={isRetrying} onClick={onRetry}>
              {t('toolImport.sendRest', { count: rest.length })}
            </Button>
          )}
        </div>
      </div>
    </Card>
  );
}

/** The methods that the service did not accept, each with its sentence. */
export function RefusedMethods({ refused }: { refused: readonly RefusedMethod[] }) {
  const { t } = useTranslation();
  if (refused.length === 0) return null;
  return (
    <section className="error-box stack" role="alert">
      <strong>{t('toolImport.refused', { count: refused.length })}</strong>
      <ul className="import-reasons" tabIndex={0}>
        {refused.map(({ name, reason }) => (
          <li key={name}>
            <span className="mono">{name}</span>
            <p className="muted">{reason}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
