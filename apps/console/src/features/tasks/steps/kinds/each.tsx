import { RetweetOutlined } from '@ant-design/icons';
import type { EachStep } from '@platform/contracts';
import { Form, InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { formatJson, JsonView } from '../../../../ui/code/json-view.tsx';
import { getNumberProblem, parseJson } from '../../../../ui/code/parse-json.ts';
import type { StepDescriptor, StepFieldsProps, StepForm } from '../step-kind.ts';
import { TemplateField } from '../templates/template-field.tsx';

interface Repetition {
  /** A template, or an array as JSON. */
  items: string;
  concurrency?: number | null | undefined;
  onItemError?: EachStep['onItemError'] | undefined;
  steps: StepForm[];
}

const MAX_CONCURRENCY = 10;
const ITEMS_EXAMPLE = '{{inputs.orders}}';

export const eachStep: StepDescriptor<EachStep, Repetition> = {
  kind: 'each',
  icon: <RetweetOutlined aria-hidden />,
  hasTurns: false,
  listSteps: ({ steps = [] }) => [{ path: ['steps'], steps }],
  create: () => ({ items: '', steps: [] }),
  toValues: ({ items, concurrency, onItemError, steps }, { toForms }) => ({
    items: typeof items === 'string' ? items : formatJson(items),
    concurrency,
    onItemError,
    steps: toForms(steps),
  }),
  toStep: (id, { items = '', concurrency, onItemError, steps = [] }, { toSteps }) => ({
    id,
    kind: 'each',
    items: parseArray(items) ?? items,
    ...(concurrency != null && { concurrency }),
    ...(onItemError && { onItemError }),
    steps: toSteps(steps),
  }),
  Fields,
  Target,
  Content,
};

/** Returns the array in a JSON text, or undefined if there is none whose numbers can be sent. */
function parseArray(text: string): unknown[] | undefined {
  const value = parseJson(text);
  return Array.isArray(value) ? value : undefined;
}

function Fields({ index, path, number, depth, StepList }: StepFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name={[index, 'items']}
        label={t('steps.each.items')}
        extra={t('steps.each.itemsHint')}
        rules={[
          { required: true, whitespace: true, message: t('common.required') },
          {
            validator: (_, text: string | undefined = '') => {
              const problem = getNumberProblem(text, t);
              return problem === null ? Promise.resolve() : Promise.reject(new Error(problem));
            },
          },
        ]}
      >
        <TemplateField rows={{ minRows: 1, maxRows: 8 }} className="mono" placeholder={ITEMS_EXAMPLE} />
      </Form.Item>
      <div className="form-pair">
        <Form.Item name={[index, 'concurrency']} label={t('steps.each.concurrency')}>
          <InputNumber
            min={1}
            max={MAX_CONCURRENCY}
            precision={0}
            placeholder="1"
            style={{ width: '100%' }}
          />
        </Form.Item>
        <Form.Item
          name={[index, 'onItemError']}
          label={t('steps.each.onItemError')}
          getValueProps={(value: Repetition['onItemError']) => ({ value: value ?? 'stop' })}
        >
          <Select
            options={(['stop', 'continue'] as const).map((value) => ({
              value,
              label: t(`steps.each.itemErrors.${value}`),
            }))}
          />
        </Form.Item>
      </div>
      <section className="branch" aria-label={t('steps.each.steps')}>
        <h3>{t('steps.each.steps')}</h3>
        <StepList
          name={[index, 'steps']}
          path={[...path, 'steps']}
          number={number}
          depth={depth + 1}
          label={t('steps.each.steps')}
        />
      </section>
    </>
  );
}

function Target({ step: { items } }: { step: EachStep }) {
  return typeof items === 'string' ? <span className="mono">{items}</span> : null;
}

function Content({ step, StepsView }: Parameters<typeof eachStep.Content>[0]) {
  const { t } = useTranslation();
  const { items, concurrency = 1, onItemError = 'stop', steps } = step;
  return (
    <>
      {typeof items !== 'string' && <JsonView value={items} label={t('steps.each.items')} />}
      <span className="muted">
        {t('steps.each.concurrency')}: {concurrency} · {t(`steps.each.itemErrors.${onItemError}`)}
      </span>
      <section className="branch" aria-label={t('steps.each.steps')}>
        <StepsView steps={steps} />
      </section>
    </>
  );
}
