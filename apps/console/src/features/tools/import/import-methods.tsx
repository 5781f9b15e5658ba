import { Alert, Checkbox, Select } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../ui/layout/card.tsx';
import { LongDataList, type Column } from '../../../ui/lists/data-list.tsx';
import { useNumbers } from '../../../ui/format/use-numbers.ts';
import { EmptyState } from '../../../ui/layout/states.tsx';
import type { DocumentOverview, ImportableOperation } from '../document/import-protocol.ts';
import { ChooseShown, MethodFilters } from './method-filters.tsx';
import { MAX_METHODS, MAX_MODEL_TOOLS } from './import-tool.ts';
import { changeSelection, matchesSearch } from '../document/selection.ts';
import { toStaticList } from './static-list.ts';

const ROW_HEIGHT = { wide: 58, narrow: 128 };
const TONES = { exact: 'success', simplified: 'warning', skipped: 'danger' } as const;

interface ImportMethodsProps {
  overview: DocumentOverview;
  /** Operation keys. */
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** Media types of bodies that were chosen, by operation keys. */
  mediaTypes: ReadonlyMap<string, string>;
  onMediaType: (operationKey: string, mediaType: string) => void;
}

/** The operations of a document, of which some are chosen. */
export function ImportMethods(props: ImportMethodsProps) {
  const { overview, chosen, onChange } = props;
  const { operations } = overview;
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const [group, setGroup] = useState<string>();
  const groups = useMemo(() => [...new Set(operations.flatMap(({ tags }) => tags))].sort(), [operations]);
  const shown = useMemo(
    () =>
      operations.filter(
        (operation) =>
          matchesSearch(operation, search) && (group === undefined || operation.tags.includes(group)),
      ),
    [operations, search, group],
  );
  const usable = shown.filter(isUsable).map(({ operationKey }) => operationKey);
  const count = chosen.size;

  const columns = useOperationColumns(props);

  return (
    <Card title={t('toolImport.methods')}>
      <div className="stack">
        <div className="row wrap">
          <MethodFilters
            search={search}
            onSearch={setSearch}
            label={t('toolImport.group')}
            any={t('toolImport.anyGroup')}
            kind={group}
            onKind={setGroup}
            kinds={groups}
            toText={(one) => one}
          />
          <ChooseShown
            choosable={usable.length}
            chosen={count}
            onChoose={() => onChange(changeSelection(chosen, usable, true))}
            onClear={() => onChange(new Set())}
          />
        </div>
        <ChosenCount operations={operations} chosen={chosen} />
        <CountWarning count={count} />
        <LongDataList
          label={t('toolImport.methods')}
          list={toStaticList(operations)}
          items={shown}
          columns={columns}
          rowKey={({ operationKey }) => operationKey}
          rowHeight={ROW_HEIGHT}
          empty={null}
          noMatch={<EmptyState title={t('toolPages.noMatch')} />}
        />
      </div>
    </Card>
  );
}

function useOperationColumns({
  chosen,
  onChange,
  mediaTypes,
  onMediaType,
}: ImportMethodsProps): Column<ImportableOperation>[] {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  return [
    {
      key: 'name',
      title: t('toolPages.method'),
      render: (operation) => (
        <>
          <Checkbox
            checked={chosen.has(operation.operationKey)}
            disabled={!isUsable(operation)}
            aria-label={t('toolImport.chooseNamed', { name: operation.name })}
            onChange={({ target }) =>
              onChange(changeSelection(chosen, [operation.operationKey], target.checked))
            }
          >
            <span className="mono">{operation.name}</span>
          </Checkbox>
          <p className="method-summary beside-checkbox" title={operation.summary}>
            {operation.summary}
          </p>
        </>
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
      title: t('toolImport.result'),
      width: 200,
      render: ({ operationKey, name, report }) => (
        <>
          <span className={`badge ${TONES[report.fidelity]}`} title={report.reasons[0]?.reason}>
            {t(`toolImport.fidelity.${report.fidelity}`)}
          </span>{' '}
          {report.promptTokens > 0 && (
            <small className="muted">
              {t('toolImport.methodTokens', { tokens: whole(report.promptTokens) })}
            </small>
          )}
          {report.bodyMediaTypes.length > 1 && (
            <Select
              className="media-type"
              size="small"
              variant="borderless"
              aria-label={t('toolImport.bodyTypeOf', { name })}
              value={mediaTypes.get(operationKey) ?? report.bodyMediaType}
              onChange={(mediaType) => onMediaType(operationKey, mediaType)}
              options={report.bodyMediaTypes.map((value) => ({ value, label: value }))}
            />
          )}
        </>
      ),
    },
  ];
}

interface ChosenCountProps {
  operations: ImportableOperation[];
  chosen: ReadonlySet<string>;
}

/** How many operations are chosen, and how many tokens they take in a prompt. */
function ChosenCount({ operations, chosen }: ChosenCountProps) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const tokens = operations
    .filter(({ operationKey }) => chosen.has(operationKey))
    .reduce((sum, { report }) => sum + report.promptTokens, 0);
  return (
    <p role="status">
      {t('toolImport.chosen', {
        count: chosen.size,
        total: operations.length,
        tokens: whole(tokens),
      })}
    </p>
  );
}

/** Warns of more methods than a tool can have, or a model accepts. */
function CountWarning({ count }: { count: number }) {
  const { t } = useTranslation();
  if (count > MAX_METHODS)
    return (
      <Alert type="error" showIcon title={t('toolImport.tooManyToSave', { count, most: MAX_METHODS })} />
    );
  if (count > MAX_MODEL_TOOLS)
    return (
      <Alert type="warning" showIcon title={t('toolImport.tooMany', { count, most: MAX_MODEL_TOOLS })} />
    );
  return null;
}

const isUsable = ({ report }: ImportableOperation): boolean => report.fidelity !== 'skipped';
