import type { EventFilter } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { toConditions } from './filter-conditions.ts';

const MAX_LENGTH = 160;

/** A filter in one short text, such as `total is at least 50, status "paid" | "free"`. */
export function FilterText({ filter }: { filter: EventFilter | null }) {
  const { t } = useTranslation();
  const entries = Object.entries(filter ?? {});
  if (entries.length === 0) return <span className="muted">{t('filter.every')}</span>;
  return (
    <code className="filter-text">
      {entries.map(([field, wanted], i) => (
        <span key={field}>
          {i > 0 && ', '}
          <span className="json-key">{field}</span> {shorten(describeWanted(field, wanted))}
        </span>
      ))}
    </code>
  );

  function describeWanted(field: string, wanted: unknown): string {
    if (Array.isArray(wanted) && wanted.length === 0) return t('filter.never');
    const conditions = toConditions({ [field]: wanted });
    if (conditions === null) return formatValues(wanted);
    return conditions
      .map(({ operator, kind, values }) => {
        const word = operator === 'is' ? '' : t(`filter.operators.${operator}`);
        const texts = values.map((value) => (kind === 'text' ? JSON.stringify(value) : value));
        return `${word} ${texts.join(' | ')}`.trim();
      })
      .join(t('filter.and'));
  }
}

function formatValues(wanted: unknown): string {
  const values: unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  return values.map((value) => JSON.stringify(value)).join(' | ');
}

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
