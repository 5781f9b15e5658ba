import { TableOutlined } from '@ant-design/icons';
import type { DataStep } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { AutoComplete, Form, Input, InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { formatJson, JsonView } from '../../../../ui/code/json-view.tsx';
import { allApplicationsQuery, applicationQuery } from '../../../applications/applications-query.ts';
import { useMaybeSession } from '../../../auth/session.ts';
import { JsonField, parseObject, parseObjects } from './json-field.tsx';
import type { StepDescriptor, StepFieldsProps, StepTexts } from '../step-kind.ts';
import { TemplateField } from '../templates/template-field.tsx';

type Operation = DataStep['operation'];
type Field =
  'applicationIdentifier' | 'table' | 'operation' | 'where' | 'order' | 'limit' | 'cursor' | 'values';

const OPERATIONS: readonly Operation[] = ['find', 'get', 'insert', 'update', 'delete'];
const ONE_ROW = formatJson({ id: '{{trigger.payload.id}}' });
const MAX_ROWS = 100;
const ORDER_EXAMPLE = '-createdAt';
const DEFAULT_LIMIT = '20';

/** What the form of each operation shows, and its step has. */
const USED: Record<Operation, { where?: 'filter' | 'row'; values?: true; list?: true }> = {
  find: { where: 'filter', list: true },
  get: { where: 'row' },
  insert: { values: true },
  update: { where: 'row', values: true },
  delete: { where: 'row' },
};

export const dataStep: StepDescriptor<DataStep, StepTexts<Field>> = {
  kind: 'data',
  icon: <TableOutlined aria-hidden />,
  hasTurns: false,
  create: () => ({
    applicationIdentifier: undefined,
    table: undefined,
    operation: 'find',
    where: '{}',
    order: '',
    limit: '',
    cursor: '',
    values: '{}',
  }),
  toValues: (step) => ({
    applicationIdentifier: step.applicationIdentifier,
    table: step.table,
    operation: step.operation,
    where: formatJson(step.where ?? {}),
    order: step.order ?? '',
    limit: step.limit == null ? '' : String(step.limit),
    cursor: step.cursor ?? '',
    values: formatJson(step.values ?? {}),
  }),
  toStep,
  Fields,
  Target,
  Content,
};

function toStep(
  id: string,
  { applicationIdentifier = '', table = '', operation: given, ...texts }: Partial<StepTexts<Field>>,
): DataStep {
  const operation = OPERATIONS.find((one) => one === given) ?? 'find';
  const { where, values, list } = USED[operation];
  const { order = '', cursor = '' } = texts;
  const conditions = parseObject(texts.where);
  const limit = texts.limit ?? '';
  const hasConditions = where === 'row' || Object.keys(conditions).length > 0;
  return {
    id,
    kind: 'data',
    applicationIdentifier,
    table,
    operation,
    ...(where && hasConditions && { where: conditions }),
    ...(list && order !== '' && { order }),
    ...(list && limit !== '' && { limit: Number(limit) }),
    ...(list && cursor !== '' && { cursor }),
    ...(values && { values: parseObjects(texts.values) }),
  };
}

function Fields({ index, path }: StepFieldsProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const operation = (Form.useWatch([...path, 'operation'], form) ?? 'find') as Operation;
  const { where, values, list } = USED[operation];
  const change = (next: Operation) => {
    // What was entered for one row is for one row still.
    if (USED[next].where === where) return;
    const isFilter = USED[next].where === 'filter';
    form.setFieldValue([...path, 'where'], isFilter ? '{}' : ONE_ROW);
  };
  return (
    <>
      <TableFields index={index} path={path} />
      <Form.Item name={[index, 'operation']} label={t('steps.data.operation')}>
        <Select<Operation>
          options={OPERATIONS.map((value) => ({ value, label: t(`steps.data.operations.${value}`) }))}
          onChange={change}
        />
      </Form.Item>
      {where && <JsonField name={[index, 'where']} label={t(`steps.data.where.${where}`)} />}
      {list && <ListFields index={index} />}
      {values && (
        <JsonField name={[index, 'values']} label={t('steps.data.values')} isList={operation === 'insert'} />
      )}
    </>
  );
}

/** Members enter the names: only admins can look applications up. */
function TableFields({ index, path }: Pick<StepFieldsProps, 'index' | 'path'>) {
  const { t } = useTranslation();
  const isAdmin = useMaybeSession().data?.space.role === 'ADMIN';
  const form = Form.useFormInstance();
  const identifier = (Form.useWatch([...path, 'applicationIdentifier'], form) ?? '') as string;
  const applications = useQuery({ ...allApplicationsQuery, enabled: isAdmin });
  const known = (applications.data ?? []).filter(({ installed, tableCount }) => installed && tableCount > 0);
  const isKnown = known.some((one) => one.identifier === identifier);
  const application = useQuery({ ...applicationQuery(identifier), enabled: isKnown });
  const tables = application.data?.manifest.tables ?? [];
  const required = [{ required: true, message: t('common.required') }];
  return (
    <div className="form-pair">
      <Form.Item
        name={[index, 'applicationIdentifier']}
        label={t('applications.application')}
        rules={required}
      >
        <AutoComplete
          className="mono"
          placeholder={t('steps.data.applicationPlaceholder')}
          options={known.map((one) => ({ value: one.identifier }))}
        />
      </Form.Item>
      <Form.Item name={[index, 'table']} label={t('steps.data.table')} rules={required}>
        <AutoComplete
          className="mono"
          placeholder={t('steps.data.tablePlaceholder')}
          options={tables.map(({ name }) => ({ value: name }))}
        />
      </Form.Item>
    </div>
  );
}

function ListFields({ index }: { index: number }) {
  const { t } = useTranslation();
  return (
    <>
      <div className="form-pair">
        <Form.Item name={[index, 'order']} label={t('steps.data.order')} extra={t('steps.data.orderHint')}>
          <Input className="mono" maxLength={100} placeholder={ORDER_EXAMPLE} />
        </Form.Item>
        <Form.Item name={[index, 'limit']} label={t('steps.data.limit')}>
          <InputNumber min={1} max={MAX_ROWS} precision={0} stringMode placeholder={DEFAULT_LIMIT} />
        </Form.Item>
      </div>
      <Form.Item name={[index, 'cursor']} label={t('steps.data.cursor')} extra={t('steps.data.cursorHint')}>
        <TemplateField className="mono" maxLength={1_000} />
      </Form.Item>
    </>
  );
}

function Target({ step: { applicationIdentifier, table, operation } }: { step: DataStep }) {
  const { t } = useTranslation();
  return (
    <>
      <span className="muted">{t(`steps.data.operations.${operation}`)}</span>
      <span className="mono">
        {applicationIdentifier}/{table}
      </span>
    </>
  );
}

function Content({ step: { operation, where, order, limit, cursor, values } }: { step: DataStep }) {
  const { t } = useTranslation();
  const settings = [
    { label: t('steps.data.order'), value: order },
    { label: t('steps.data.limit'), value: limit },
    { label: t('steps.data.cursor'), value: cursor },
  ];
  return (
    <>
      {where && <JsonView value={where} label={t(`steps.data.where.${USED[operation].where ?? 'row'}`)} />}
      {values && <JsonView value={values} label={t('steps.data.values')} />}
      {settings
        .filter(({ value }) => value != null)
        .map(({ label, value }) => (
          <span key={label} className="muted">
            {label}: <span className="mono">{value}</span>
          </span>
        ))}
    </>
  );
}
