import type { BulkRunActionKind, RunSelect, RunStatus } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { hasRunEnded } from './run-status.tsx';

const BulkRunDialog = lazyPart(() =>
  import('../failures/bulk-run-dialog.tsx').then((module) => ({ default: module.BulkRunDialog })),
);

/** Failures are dismissed on their own page, where one sees what they are. */
const ACTIONS = ['cancel', 'retry'] as const satisfies BulkRunActionKind[];
const RETRIED: readonly RunStatus[] = ['FAILED', 'INTERRUPTED', 'CANCELLED'];

interface BulkBarProps {
  /** The runs that are selected one by one. */
  ids: string[];
  onClear: () => void;
  /** The filter of the list; null if it has none: not everything is canceled by a click. */
  matching: RunSelect | null;
}

/** What can be done with many runs at once: those that are selected, or else all that match the filter. */
export function BulkBar({ ids, onClear, matching }: BulkBarProps) {
  const { t } = useTranslation();
  // As it was when the dialog was opened, whatever the filter becomes.
  const [begun, setBegun] = useState<{ action: BulkRunActionKind; select: RunSelect } | null>(null);
  const isSelection = ids.length > 0;
  const select = isSelection ? { ids } : matching;
  const fitting = ACTIONS.filter((action) => isSelection || fits(action, matching?.status));
  return (
    <>
      {select !== null && fitting.length > 0 && (
        <div className="row wrap">
          {isSelection && <span role="status">{t('failures.selectedRuns', { count: ids.length })}</span>}
          {fitting.map((action) => (
            <Button key={action} onClick={() => setBegun({ action, select })}>
              {t(isSelection ? `bulkRuns.actions.${action}` : `bulkRuns.matching.${action}`)}
            </Button>
          ))}
          {isSelection && (
            <Button type="text" onClick={onClear}>
              {t('failures.clear')}
            </Button>
          )}
        </div>
      )}
      {begun !== null && (
        <Suspense>
          <BulkRunDialog
            {...begun}
            onClose={() => {
              setBegun(null);
              onClear();
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** Whether an action fits runs with a status; undefined for any. */
function fits(action: (typeof ACTIONS)[number], status: RunStatus | undefined): boolean {
  if (status === undefined) return true;
  return action === 'cancel' ? !hasRunEnded(status) : RETRIED.includes(status);
}
