import type { Tool } from '@platform/contracts';
import type { MethodComparison } from '@platform/openapi-import';
import { Alert, Button } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../ui/layout/card.tsx';
import { LongDataList } from '../../../ui/lists/data-list.tsx';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { EmptyState } from '../../../ui/layout/states.tsx';
import { useUnsavedGuard } from '../../../ui/forms/use-unsaved-guard.ts';
import { useDrawerParam } from '../../../ui/url/use-drawer-param.ts';
import type { DocumentWorker } from '../document/document-worker.ts';
import { changeDecisions, suggestDecisions, type Decisions } from '../document/reimport-differences.ts';
import { useComparisonColumns } from './comparison-columns.tsx';
import { MethodFilters } from './method-filters.tsx';
import { ReimportDrawer } from './reimport-drawer.tsx';
import { matchesSearch } from '../document/selection.ts';
import type { RefusedMethod } from './import-tool.ts';
import { toStaticList } from './static-list.ts';
import { useMergeMutation } from './use-merge-mutation.ts';

const ROW_HEIGHT = { wide: 45, narrow: 128 };
const KINDS = ['changed', 'removed', 'added', 'unchanged'] as const;

interface ReimportChangesProps {
  tool: Tool;
  worker: DocumentWorker;
  comparisons: MethodComparison[];
  /** Whether the tool has changed since it was compared. */
  isOutdated: boolean;
  onCompareAgain: () => void;
  /** Takes the changed tool, and the methods that the service did not accept. */
  onApplied: (changed: Tool, refused: RefusedMethod[]) => void;
}

const isOfKind = (comparison: MethodComparison, kind: MethodComparison['kind'] | undefined) =>
  kind === undefined ? comparison.kind !== 'unchanged' : comparison.kind === kind;

/** What has changed, of which the user applies some. */
export function ReimportChanges({ tool, worker, comparisons, onApplied, ...version }: ReimportChangesProps) {
  const { t } = useTranslation();
  const [suggested] = useState<Decisions>(() => suggestDecisions(comparisons));
  const [decisions, setDecisions] = useState(suggested);
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState<MethodComparison['kind']>();
  const [openName, open, close] = useDrawerParam('method');
  const shown = useMemo(
    () => comparisons.filter((comparison) => isOfKind(comparison, kind) && matchesSearch(comparison, search)),
    [comparisons, kind, search],
  );
  const applied = comparisons.filter(({ name }) => decisions.has(name));
  const breaking = comparisons.filter((comparison) => comparison.breaking.length > 0).length;
  const opened = comparisons.find(({ name }) => name === openName);

  const save = useMergeMutation(tool, worker, decisions, onApplied);
  useUnsavedGuard(decisions !== suggested && !save.isPending && !save.isSuccess);

  const columns = useComparisonColumns({
    decisions,
    onApply: (comparison, isApplied) => setDecisions(changeDecisions(decisions, [comparison], isApplied)),
    onOpen: open,
  });

  return (
    <Card title={t('toolReimport.changes')}>
      <div className="stack">
        {breaking > 0 && (
          <Alert type="warning" showIcon title={t('toolReimport.breakingText', { count: breaking })} />
        )}
        <div className="row wrap">
          <MethodFilters
            search={search}
            onSearch={setSearch}
            label={t('toolReimport.change')}
            any={t('toolReimport.anyChange')}
            kind={kind}
            onKind={setKind}
            kinds={KINDS}
            toText={(one) => `${t(`toolReimport.kinds.${one}`)} (${countOf(comparisons, one)})`}
          />
        </div>
        <LongDataList
          label={t('toolReimport.changes')}
          list={toStaticList(comparisons)}
          items={shown}
          columns={columns}
          rowKey={({ name }) => name}
          rowHeight={ROW_HEIGHT}
          empty={<EmptyState title={t('toolReimport.none')} />}
          noMatch={
            <EmptyState
              title={search === '' && kind === undefined ? t('toolReimport.none') : t('toolPages.noMatch')}
            />
          }
        />
        <Summary applied={applied} />
        <Outcome error={save.error} {...version} />
        <div>
          <Button
            type="primary"
            disabled={applied.length === 0 || version.isOutdated}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t('toolReimport.submit', { count: applied.length })}
          </Button>
        </div>
      </div>
      {opened !== undefined && (
        <ReimportDrawer
          comparison={opened}
          decision={decisions.get(opened.name)}
          onDecide={(preference) => setDecisions(new Map(decisions).set(opened.name, preference))}
          onClose={close}
        />
      )}
    </Card>
  );
}

const countOf = (comparisons: readonly MethodComparison[], kind: MethodComparison['kind']) =>
  comparisons.filter((comparison) => comparison.kind === kind).length;

/** How many methods are changed, added, and removed. */
function Summary({ applied }: { applied: MethodComparison[] }) {
  const { t } = useTranslation();
  return (
    <p role="status">
      {t('toolReimport.summary', {
        updated: countOf(applied, 'changed'),
        added: countOf(applied, 'added'),
        removed: countOf(applied, 'removed'),
      })}
    </p>
  );
}

/** Why nothing was applied, or can be. */
function Outcome({
  error,
  isOutdated,
  onCompareAgain,
}: Pick<ReimportChangesProps, 'isOutdated' | 'onCompareAgain'> & { error: Error | null }) {
  const { t } = useTranslation();
  if (error === null && !isOutdated) return null;
  return (
    <section className="error-box stack" role="alert">
      <p>{isOutdated ? t('toolReimport.outdated') : getErrorMessage(error, t)}</p>
      {isOutdated && (
        <div>
          <Button onClick={onCompareAgain}>{t('toolReimport.compareAgain')}</Button>
        </div>
      )}
    </section>
  );
}
