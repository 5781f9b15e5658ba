import { DiffOutlined } from '@ant-design/icons';
import type { Tool } from '@platform/contracts';
import type { MethodComparison } from '@platform/openapi-import';
import { useMutation } from '@tanstack/react-query';
import { Alert, App, Button, Checkbox, Input } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/layout/card.tsx';
import { LongDataList, type Column } from '../../../ui/lists/data-list.tsx';
import { getErrorMessage, isConflict } from '../../../ui/layout/errors.ts';
import { FilterSelect } from '../../../ui/lists/filter-select.tsx';
import { EmptyState } from '../../../ui/layout/states.tsx';
import { useUnsavedGuard } from '../../../ui/forms/use-unsaved-guard.ts';
import { useDrawerParam } from '../../../ui/url/use-drawer-param.ts';
import type { DocumentWorker } from '../document/document-worker.ts';
import {
  changeDecisions,
  hasConflict,
  suggestDecisions,
  type Decisions,
} from '../document/reimport-differences.ts';
import { ReimportDrawer } from './reimport-drawer.tsx';
import { matchesSearch } from '../document/selection.ts';
import { toStaticList } from './static-list.ts';

const ROW_HEIGHT = { wide: 45, narrow: 128 };
const KINDS = ['changed', 'removed', 'added', 'unchanged'] as const;
const TONES = { changed: 'running', removed: 'danger', added: 'success', unchanged: 'plain' } as const;

interface ReimportChangesProps {
  tool: Tool;
  worker: DocumentWorker;
  comparisons: MethodComparison[];
}

/** What has changed, of which the user applies some. */
export function ReimportChanges({ tool, worker, comparisons }: ReimportChangesProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [suggested] = useState<Decisions>(() => suggestDecisions(comparisons));
  const [decisions, setDecisions] = useState(suggested);
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState<MethodComparison['kind']>();
  const [openName, open, close] = useDrawerParam('method');
  const shown = useMemo(
    () =>
      comparisons.filter(
        (comparison) =>
          (kind === undefined ? comparison.kind !== 'unchanged' : comparison.kind === kind) &&
          matchesSearch(comparison, search),
      ),
    [comparisons, kind, search],
  );
  const applied = comparisons.filter(({ name }) => decisions.has(name));
  const countOf = (one: MethodComparison['kind']) =>
    applied.filter((comparison) => comparison.kind === one).length;
  const breaking = comparisons.filter((comparison) => comparison.breaking.length > 0).length;
  const opened = comparisons.find(({ name }) => name === openName);

  const save = useMutation({
    mutationFn: async () => {
      const changes = await worker.merge([...decisions].map(([name, preference]) => ({ name, preference })));
      return client.tools.changeMethods(tool.id, { updatedAt: tool.updatedAt ?? '', ...changes });
    },
    onSuccess: async (changed) => {
      queryClient.setQueryData(keys.tool(tool.id), changed);
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      void message.success(t('toolPages.saved', { name: changed.name }));
      await navigate(paths.tool(tool.id));
    },
  });

  useUnsavedGuard(decisions !== suggested && !save.isPending && !save.isSuccess);

  const columns: Column<MethodComparison>[] = [
    {
      key: 'name',
      title: t('toolPages.method'),
      render: (comparison) => (
        <Checkbox
          checked={decisions.has(comparison.name)}
          disabled={comparison.kind === 'unchanged'}
          aria-label={t(`toolReimport.apply.${comparison.kind}`, { name: comparison.name })}
          onChange={({ target }) => setDecisions(changeDecisions(decisions, [comparison], target.checked))}
        >
          <span className="mono">{comparison.name}</span>
        </Checkbox>
      ),
    },
    {
      key: 'path',
      title: t('toolPages.path'),
      render: ({ httpMethod, path }) => (
        <span title={path}>
          <span className="method-verb">{httpMethod}</span> <span className="mono">{path}</span>
        </span>
      ),
    },
    {
      key: 'result',
      title: t('toolReimport.change'),
      width: 230,
      render: (comparison) => (
        <>
          <span className={`badge ${TONES[comparison.kind]}`}>
            {t(`toolReimport.kinds.${comparison.kind}`)}
          </span>{' '}
          {comparison.breaking.length > 0 && (
            <span className="badge danger">{t('toolReimport.breaking')}</span>
          )}{' '}
          {hasConflict(comparison) && <span className="badge warning">{t('toolReimport.conflict')}</span>}
        </>
      ),
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      render: ({ name, differences }) =>
        differences.length > 0 && (
          <Button
            type="text"
            size="small"
            icon={<DiffOutlined aria-hidden />}
            aria-label={t('toolReimport.showNamed', { name })}
            title={t('toolReimport.show')}
            onClick={() => open(name)}
          />
        ),
    },
  ];

  return (
    <Card title={t('toolReimport.changes')}>
      <div className="stack">
        {breaking > 0 && (
          <Alert type="warning" showIcon title={t('toolReimport.breakingText', { count: breaking })} />
        )}
        <div className="row wrap">
          <Input.Search
            className="method-search"
            allowClear
            placeholder={t('toolPages.searchMethods')}
            aria-label={t('toolPages.searchMethods')}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
          <FilterSelect
            label={t('toolReimport.change')}
            any={t('toolReimport.anyChange')}
            value={kind}
            onChange={setKind}
            options={KINDS.map((value) => ({
              value,
              label: `${t(`toolReimport.kinds.${value}`)} (${comparisons.filter((one) => one.kind === value).length})`,
            }))}
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
        <p role="status">
          {t('toolReimport.summary', {
            updated: countOf('changed'),
            added: countOf('added'),
            removed: countOf('removed'),
          })}
        </p>
        {save.error !== null && (
          <section className="error-box stack" role="alert">
            <p>{isConflict(save.error) ? t('toolReimport.outdated') : getErrorMessage(save.error, t)}</p>
            {isConflict(save.error) && (
              <div>
                <Button onClick={() => void queryClient.invalidateQueries({ queryKey: keys.tool(tool.id) })}>
                  {t('toolReimport.reload')}
                </Button>
              </div>
            )}
          </section>
        )}
        <div>
          <Button
            type="primary"
            disabled={applied.length === 0}
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
