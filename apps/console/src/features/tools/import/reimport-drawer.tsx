import type { BreakingChange, Difference, MethodComparison, Preference } from '@platform/openapi-import';
import { Alert, Drawer, Radio } from 'antd';
import { useTranslation } from 'react-i18next';
import { describePlace, formatValue, hasConflict } from '../document/reimport-differences.ts';

/** A document can rewrite a schema of thousands of parts. */
const MAX_SHOWN = 200;

interface ReimportDrawerProps {
  comparison: MethodComparison;
  /** Undefined if the method stays as it is. */
  decision: Preference | undefined;
  onDecide: (preference: Preference) => void;
  onClose: () => void;
}

/** What exactly differs in one method, and whose value counts where both sides have changed it. */
export function ReimportDrawer({ comparison, decision, onDecide, onClose }: ReimportDrawerProps) {
  const { t } = useTranslation();
  const { name, httpMethod, path, differences, breaking, preference } = comparison;
  return (
    <Drawer open onClose={onClose} size={720} title={name}>
      <div className="stack">
        <p className="muted">
          <span className="method-verb">{httpMethod}</span> <span className="mono">{path}</span>
        </p>
        {breaking.length > 0 && (
          <Alert
            type="error"
            title={t('toolReimport.breakingTitle')}
            description={
              <ul className="breaking-changes">
                {breaking.map((change, i) => (
                  <li key={i}>
                    <Breaking change={change} />
                  </li>
                ))}
              </ul>
            }
          />
        )}
        {hasConflict(comparison) && (
          <section className="stack" aria-label={t('toolReimport.decide')}>
            <p>{t('toolReimport.conflictText')}</p>
            <Radio.Group
              aria-label={t('toolReimport.decide')}
              value={decision ?? preference}
              onChange={({ target }) => onDecide(target.value as Preference)}
              options={[
                { value: 'edit', label: t('toolReimport.keepEdit') },
                { value: 'document', label: t('toolReimport.takeDocument') },
              ]}
            />
          </section>
        )}
        <ul className="differences" aria-label={t('toolReimport.differences')}>
          {differences.slice(0, MAX_SHOWN).map((difference) => (
            <li key={difference.path.join('/')}>
              <DifferenceView difference={difference} />
            </li>
          ))}
        </ul>
        {differences.length > MAX_SHOWN && (
          <p className="muted">{t('toolImport.moreReasons', { count: differences.length - MAX_SHOWN })}</p>
        )}
      </div>
    </Drawer>
  );
}

function DifferenceView({ difference }: { difference: Difference }) {
  const { t } = useTranslation();
  const { field, part } = describePlace(difference);
  const { origin, base, edited, incoming } = difference;
  const values =
    origin === 'document'
      ? { before: edited, document: incoming }
      : origin === 'edit'
        ? { before: base, yours: edited }
        : { before: base, yours: edited, document: incoming };
  return (
    <>
      <p className="row wrap">
        <strong>{field === null ? '' : t(`toolReimport.fields.${field}`)}</strong>
        {part !== '' && <span className="mono">{part}</span>}
        <span className={`badge ${origin === 'conflict' ? 'warning' : 'plain'}`}>
          {t(`toolReimport.origins.${origin}`)}
        </span>
      </p>
      <dl className="versions">
        {Object.entries(values).map(([side, value]) => (
          <div key={side} className={`version ${side}`}>
            <dt>{t(`toolReimport.sides.${side as keyof typeof values}`)}</dt>
            <dd>
              {formatValue(value) === null ? (
                <span className="muted">{t('toolReimport.absent')}</span>
              ) : (
                <code>{formatValue(value)}</code>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Breaking({ change: { kind, place, from = '', to = '' } }: { change: BreakingChange }) {
  const { t } = useTranslation();
  const whole = place === '' ? t('toolReimport.whole') : place;
  // A list of values was added where there was none.
  if (kind === 'values' && from === '') return t('toolReimport.breaks.valuesAny', { place: whole });
  return t(`toolReimport.breaks.${kind}`, { place: whole, from, to });
}
