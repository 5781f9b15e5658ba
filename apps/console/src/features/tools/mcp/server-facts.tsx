import type { ToolImport } from '@platform/contracts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../ui/layout/card.tsx';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';

/** Which server it is, and what of its list was left out. */
export function ServerFacts({ found: { server, tool, report } }: { found: ToolImport }) {
  const { t } = useTranslation();
  return (
    <Card title={server.name ?? t('toolPages.server')}>
      <div className="stack">
        <Facts>
          <Fact name={t('toolPages.server')}>
            <span className="mono">{tool.serverUrl}</span>
          </Fact>
          {server.version !== null && (
            <Fact name={t('toolImport.version')}>
              <code>{server.version}</code>
            </Fact>
          )}
          {server.protocolVersion !== null && (
            <Fact name={t('toolMcp.protocol')}>
              <code>{server.protocolVersion}</code>
            </Fact>
          )}
        </Facts>
        {report.length > 0 && (
          <Alert
            type="info"
            showIcon
            title={t('toolMcp.report')}
            description={report.map((line, i) => (
              <p key={i}>{line}</p>
            ))}
          />
        )}
      </div>
    </Card>
  );
}
