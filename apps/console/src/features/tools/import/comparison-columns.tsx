import { DiffOutlined } from '@ant-design/icons';
import type { MethodComparison } from '@platform/openapi-import';
import { Button, Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../../ui/lists/column.ts';
import { hasConflict, type Decisions } from '../document/reimport-differences.ts';

const TONES = { changed: 'running', removed: 'danger', added: 'success', unchanged: 'plain' } as const;

interface ComparisonColumnsOptions {
  decisions: Decisions;
  onApply: (comparison: MethodComparison, isApplied: boolean) => void;
  /** Opens the differences of a method. */
  onOpen: (name: string) => void;
}

/** The columns of the changes that a document brings to a tool. */
export function useComparisonColumns({
  decisions,
  onApply,
  onOpen,
}: ComparisonColumnsOptions): Column<MethodComparison>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('toolPages.method'),
      render: (comparison) => (
        <Checkbox
          checked={decisions.has(comparison.name)}
          disabled={comparison.kind === 'unchanged'}
          aria-label={t(`toolReimport.apply.${comparison.kind}`, { name: comparison.name })}
          onChange={({ target }) => onApply(comparison, target.checked)}
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
            onClick={() => onOpen(name)}
          />
        ),
    },
  ];
}
