import { useTranslation } from 'react-i18next';
import { CALL_KINDS, type CallKind } from './call.ts';

/** Chooses the part of the API that messages are sent to. */
export function KindSelect({ kind, onChange }: { kind: CallKind; onChange: (kind: CallKind) => void }) {
  const { t } = useTranslation();
  return (
    <select
      className="filter-select kind-select"
      aria-label={t('run.kind')}
      title={t(`run.kindHints.${kind}`)}
      value={kind}
      onChange={({ target }) => onChange(CALL_KINDS.find((one) => one === target.value) ?? 'chat')}
    >
      {CALL_KINDS.map((one) => (
        <option key={one} value={one}>
          {t(`run.kinds.${one}`)}
        </option>
      ))}
    </select>
  );
}
