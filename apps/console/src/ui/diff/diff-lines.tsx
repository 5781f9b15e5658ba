import { useTranslation } from 'react-i18next';
import type { DiffLine, SkippedLines } from './line-diff.ts';
import './versions.css';

/** The lines of two texts that differ, with a few around them. */
export function DiffLines({ lines, label }: { lines: (DiffLine | SkippedLines)[]; label: string }) {
  const { t } = useTranslation();
  return (
    <div className="diff" tabIndex={0} role="group" aria-label={label}>
      {lines.map((line, i) =>
        line.kind === 'skipped' ? (
          <div key={i} className="diff-skipped">
            {t('versions.unchanged', { count: line.count })}
          </div>
        ) : (
          <div key={i} className={`diff-line ${line.kind}`}>
            {line.kind !== 'same' && <span className="visually-hidden">{t(`versions.${line.kind}`)} </span>}
            {line.text}
          </div>
        ),
      )}
    </div>
  );
}
