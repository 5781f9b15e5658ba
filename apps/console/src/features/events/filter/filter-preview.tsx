import { CheckCircleOutlined, CloseCircleOutlined } from '@ant-design/icons';
import type { EventFilter } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { ErrorState } from '../../../ui/layout/states.tsx';
import { Time } from '../../../ui/format/time.tsx';
import type { EventName } from '../catalog/catalog-query.ts';

const PAUSE_MS = 300;

interface FilterPreviewProps {
  event: EventName;
  /** Undefined while the input is not a valid filter. The last result then stays. */
  filter: EventFilter | null | undefined;
}

/** Shows which of the latest envelopes the filter matches, and which field failed. */
export function FilterPreview({ event, filter }: FilterPreviewProps) {
  const { t } = useTranslation();
  const settled = useSettled(filter);
  const preview = useQuery({
    queryKey: [...keys.filterPreview, event, settled],
    queryFn: () => client.events.previewFilter({ ...event, filter: settled ?? null }),
    placeholderData: (before) => before,
  });
  if (preview.data === undefined) {
    return preview.isError ? (
      <ErrorState error={preview.error} retry={() => void preview.refetch()} />
    ) : (
      <span className="skeleton-bar" />
    );
  }
  const { items, matched } = preview.data;
  return (
    <section className="filter-preview" aria-label={t('filter.preview')} aria-busy={preview.isFetching}>
      <p aria-live="polite">
        {items.length === 0 ? t('filter.noEnvelopes') : t('filter.matched', { matched, count: items.length })}
      </p>
      {preview.isError && <p className="danger-text">{getErrorMessage(preview.error, t)}</p>}
      <ul>
        {items.map(({ envelopeId, emittedAt, matches, reason }) => (
          <li key={envelopeId}>
            {matches ? (
              <CheckCircleOutlined className="success-text" aria-label={t('filter.matches')} />
            ) : (
              <CloseCircleOutlined className="danger-text" aria-label={t('filter.matchesNot')} />
            )}
            <span className="grow">{reason ?? t('filter.matches')}</span>
            <Link to={paths.envelope(envelopeId)} target="_blank" className="muted">
              <Time iso={emittedAt} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the last valid value, once it has not changed for a moment. */
function useSettled(filter: EventFilter | null | undefined): EventFilter | null {
  const [settled, setSettled] = useState(filter ?? null);
  useEffect(() => {
    if (filter === undefined) return;
    const timer = setTimeout(() => setSettled(filter), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [filter]);
  return settled;
}
