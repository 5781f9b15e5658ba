import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { CLEARABLE } from '../../ui/layout/antd-icons.tsx';
import { Card } from '../../ui/layout/card.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { ErrorState } from '../../ui/layout/states.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { EvidenceDocuments } from './evidence-documents.tsx';

const DEFAULT_COUNT = 5;
const COUNTS = ['10', '20', '50'] as const;
const MAX_QUERY_CHARS = 1_000;

/** Shows which passages an agent would receive for a question. */
export function SearchCard() {
  const { t } = useTranslation();
  const [asked, setAsked] = useSearchFilter<string>('q');
  const [chosen, setCount] = useSearchFilter('top', COUNTS);
  const count = Number(chosen ?? DEFAULT_COUNT);
  const [text, setText] = useState(asked ?? '');
  const query = asked ?? '';
  const found = useQuery({
    queryKey: keys.knowledgeSearch(query, count),
    queryFn: () => client.knowledge.search({ query, topK: count }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={t('knowledge.search')} text={t('knowledge.searchText')}>
      <div className="stack">
        <div className="row wrap">
          <Input.Search
            className="knowledge-query"
            allowClear={CLEARABLE}
            aria-label={t('knowledge.query')}
            placeholder={t('knowledge.queryExample')}
            maxLength={MAX_QUERY_CHARS}
            value={text}
            loading={found.isFetching}
            onChange={({ target }) => setText(target.value)}
            onSearch={(value) => setAsked(value.trim() === '' ? undefined : value.trim())}
          />
          <FilterSelect
            label={t('knowledge.most')}
            any={t('knowledge.mostPassages', { count: DEFAULT_COUNT })}
            value={chosen}
            options={COUNTS.map((value) => ({
              value,
              label: t('knowledge.mostPassages', { count: Number(value) }),
            }))}
            onChange={setCount}
          />
        </div>
        <div aria-live="polite">
          {query !== '' && found.data === undefined && found.error !== null && (
            <ErrorState error={found.error} retry={() => void found.refetch()} />
          )}
          {query !== '' && found.data && (
            <>
              {found.data.notices.map((notice) => (
                <p key={notice} className="danger-text">
                  {notice}
                </p>
              ))}
              <EvidenceDocuments evidence={found.data} />
            </>
          )}
        </div>
      </div>
    </Card>
  );
}
