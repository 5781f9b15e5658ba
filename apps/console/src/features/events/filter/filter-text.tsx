import type { EventFilter } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const MAX_LENGTH = 160;

/** A filter in one short text, such as `total 50 or 100, status paid`. */
export function FilterText({ filter }: { filter: EventFilter | null }) {
  const { t } = useTranslation();
  const entries = Object.entries(filter ?? {});
  if (entries.length === 0) return <span className="muted">{t('filter.every')}</span>;
  return (
    <code className="filter-text">
      {entries.map(([field, wanted], i) => {
        const values = (Array.isArray(wanted) ? wanted : [wanted]) as unknown[];
        const text = values.map((value) => JSON.stringify(value)).join(' | ');
        return (
          <span key={field}>
            {i > 0 && ', '}
            <span className="json-key">{field}</span>{' '}
            {text === ''
              ? t('filter.never')
              : text.length > MAX_LENGTH
                ? `${text.slice(0, MAX_LENGTH)}…`
                : text}
          </span>
        );
      })}
    </code>
  );
}
