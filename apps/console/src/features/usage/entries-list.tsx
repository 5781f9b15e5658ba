import { USAGE_SOURCES, type UsageEntry } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { modelsQuery } from '../models/models-query.ts';

/** The list of charges and grants, newest first. */
export function EntriesList({ userId }: { userId: string | undefined }) {
  const { t } = useTranslation();
  const [model, setModel] = useSearchFilter('model');
  const [source, setSource] = useSearchFilter('source', USAGE_SOURCES);
  const models = useQuery(modelsQuery);
  const filter = {
    ...(userId !== undefined && { userId }),
    ...(model !== undefined && { model }),
    ...(source !== undefined && { source }),
  };
  const filtered = Object.keys(filter).length > 0;
  const list = useList<UsageEntry>([...keys.usage, 'entries', filter], (page) =>
    client.usage.entries({ ...page, ...filter }),
  );
  const modelNames = models.data?.map(({ name }) => name) ?? [];

  const columns = useEntryColumns();

  return (
    <section aria-labelledby="usage-entries">
      <div className="toolbar">
        <h2 id="usage-entries" className="grow">
          {t('usage.entries')}
        </h2>
        <FilterSelect
          label={t('usage.model')}
          any={t('usage.anyModel')}
          value={model}
          onChange={setModel}
          options={modelNames.map((name) => ({ value: name, label: name }))}
          loading={models.isPending}
          width={190}
        />
        <FilterSelect
          label={t('usage.source')}
          any={t('usage.anySource')}
          value={source}
          onChange={setSource}
          options={USAGE_SOURCES.map((one) => ({ value: one, label: t(`usage.sources.${one}`) }))}
          width={150}
        />
      </div>
      <DataList
        label={t('usage.entries')}
        list={list}
        columns={columns}
        rowKey={(entry) => entry.id}
        empty={
          filtered ? (
            <EmptyState title={t('usage.noMatch')} />
          ) : (
            <EmptyState title={t('usage.none')} text={t('usage.noneText')} />
          )
        }
      />
    </section>
  );
}

function useEntryColumns(): Column<UsageEntry>[] {
  const { t } = useTranslation();
  const { whole, charged } = useNumbers();
  return [
    { key: 'time', title: t('usage.time'), width: 120, render: (entry) => <Time iso={entry.createdAt} /> },
    {
      key: 'who',
      title: t('usage.who'),
      width: 170,
      render: ({ user }) => user?.name ?? <span className="muted">{t('usage.wholeSpace')}</span>,
    },
    { key: 'what', title: t('usage.what'), render: (entry) => <What entry={entry} /> },
    {
      key: 'tokens',
      title: t('usage.tokens'),
      width: 200,
      render: (entry) => (
        <>
          <span className={entry.kind === 'CHARGE' ? undefined : 'success-text'}>
            {entry.kind !== 'CHARGE' && '+'}
            {whole(entry.tokens)}
          </span>
          {entry.kind === 'CHARGE' && (
            <div className="muted">
              {t('usage.inOut', { input: whole(entry.promptTokens), output: whole(entry.completionTokens) })}
              {entry.cachedTokens > 0 && ` · ${t('usage.cachedPart', { tokens: whole(entry.cachedTokens) })}`}
            </div>
          )}
        </>
      ),
    },
    {
      key: 'cost',
      title: t('usage.cost'),
      width: 110,
      render: (entry) => (entry.kind === 'CHARGE' ? charged(entry.cost) : ''),
    },
  ];
}

function What({ entry }: { entry: UsageEntry }) {
  const { t } = useTranslation();
  const hint = entry.kind === 'OPENING' ? t('usage.openingHint') : null;
  const details = [entry.model, entry.note, hint].filter((text) => text !== null && text !== '').join(' · ');
  return (
    <>
      {entry.kind === 'OPENING' ? t('usage.opening') : t(`usage.sources.${entry.source}`)}
      {entry.createdBy && (
        <span className="muted"> {t('usage.by', { name: entry.createdBy.name })}</span>
      )}{' '}
      {entry.estimated && <span className="badge plain">{t('usage.estimated')}</span>}
      {details !== '' && <div className="muted truncate">{details}</div>}
    </>
  );
}
