import type { ReportEntry } from '@platform/openapi-import';
import { Alert, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../ui/layout/card.tsx';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';
import type { DocumentOverview } from '../document/import-protocol.ts';

/** A document can have thousands of operations that are not exact. */
const MAX_SHOWN = 200;
const FIDELITIES = ['exact', 'simplified', 'skipped'] as const;

interface ImportReportProps {
  overview: DocumentOverview;
  onClose: () => void;
}

/** What the document is, and how well it can be imported. */
export function ImportReport({ overview, onClose }: ImportReportProps) {
  const { t } = useTranslation();
  const { kind, title, version, operations, skipped, notes } = overview;
  const reports = [...skipped, ...operations.map(({ report }) => report)];
  const inexact = [
    ...reports.filter(({ fidelity }) => fidelity === 'skipped'),
    ...reports.filter(({ fidelity }) => fidelity === 'simplified'),
  ];
  return (
    <Card title={title === '' ? t('toolImport.report') : title}>
      <div className="stack">
        <Facts>
          <Fact name={t('toolImport.format')}>{t(`toolImport.kinds.${kind}`)}</Fact>
          {version !== '' && (
            <Fact name={t('toolImport.version')}>
              <code>{version}</code>
            </Fact>
          )}
          {FIDELITIES.map((fidelity) => (
            <Fact key={fidelity} name={t(`toolImport.fidelity.${fidelity}`)}>
              {reports.filter((report) => report.fidelity === fidelity).length}
            </Fact>
          ))}
        </Facts>
        {notes.length > 0 && (
          <Alert
            type="info"
            showIcon
            title={t('toolImport.notes')}
            description={notes.map((note) => (
              <p key={note}>{note}</p>
            ))}
          />
        )}
        {inexact.length > 0 && <Reasons reports={inexact} />}
        <div>
          <Button onClick={onClose}>{t('toolImport.another')}</Button>
        </div>
      </div>
    </Card>
  );
}

/** Why operations are not exact. Thousands of sentences are rendered only when somebody asks for them. */
function Reasons({ reports }: { reports: ReportEntry[] }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('toolImport.reasons', { count: reports.length })}</summary>
      {isOpen && (
        <ul className="import-reasons" tabIndex={0}>
          {reports.slice(0, MAX_SHOWN).map(({ operationKey, fidelity, reasons }) => (
            <li key={operationKey}>
              <span className={fidelity === 'skipped' ? 'badge danger' : 'badge warning'}>
                {t(`toolImport.fidelity.${fidelity}`)}
              </span>{' '}
              <span className="mono">{operationKey}</span>
              {reasons.map(({ pointer, reason }, i) => (
                <p key={i} className="muted">
                  <code>{pointer}</code> {reason}
                </p>
              ))}
            </li>
          ))}
        </ul>
      )}
      {reports.length > MAX_SHOWN && (
        <p className="muted">{t('toolImport.moreReasons', { count: reports.length - MAX_SHOWN })}</p>
      )}
    </details>
  );
}
