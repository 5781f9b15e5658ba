import { BranchesOutlined, DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import type { BranchStep } from '@platform/contracts';
import { Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import type { StepDescriptor, StepFieldsProps, StepForm } from '../step-kind.ts';
import { TemplateField } from '../templates/template-field.tsx';

interface Branching {
  branches: { when: string; steps: StepForm[] }[];
  otherwise: StepForm[];
}

const MAX_BRANCHES = 20;
const CONDITION_EXAMPLE = 'inputs.amount > 1000';

export const branchStep: StepDescriptor<BranchStep, Branching> = {
  kind: 'branch',
  icon: <BranchesOutlined aria-hidden />,
  hasTurns: false,
  listSteps: ({ branches = [], otherwise = [] }) => [
    ...branches.map(({ steps }, i) => ({ path: ['branches', i, 'steps'], steps })),
    { path: ['otherwise'], steps: otherwise },
  ],
  create: () => ({ branches: [{ when: '', steps: [] }], otherwise: [] }),
  toValues: ({ branches, otherwise = [] }, { toForms }) => ({
    branches: branches.map(({ when, steps }) => ({ when, steps: toForms(steps) })),
    otherwise: toForms(otherwise),
  }),
  toStep: (id, { branches = [], otherwise = [] }, { toSteps }) => ({
    id,
    kind: 'branch',
    branches: branches.map(({ when, steps }) => ({ when, steps: toSteps(steps) })),
    ...(otherwise.length > 0 && { otherwise: toSteps(otherwise) }),
  }),
  Fields,
  Target: () => null,
  Content,
};

function Fields(props: StepFieldsProps) {
  const { t } = useTranslation();
  const { index, path, number, depth, StepList } = props;
  return (
    <>
      <Form.List name={[index, 'branches']}>
        {(branches, { add, remove }) => (
          <>
            {branches.map(({ key, name }) => (
              <Branch
                key={key}
                {...props}
                index={name}
                isOnly={branches.length === 1}
                onRemove={() => remove(name)}
              />
            ))}
            <Button
              size="small"
              className="branch-add"
              icon={<PlusOutlined aria-hidden />}
              disabled={branches.length >= MAX_BRANCHES}
              onClick={() => add({ when: '', steps: [] })}
            >
              {t('steps.branch.add')}
            </Button>
          </>
        )}
      </Form.List>
      <section className="branch" aria-label={t('steps.branch.otherwise')}>
        <h3>{t('steps.branch.otherwise')}</h3>
        <StepList
          name={[index, 'otherwise']}
          path={[...path, 'otherwise']}
          number={`${number}.0`}
          depth={depth + 1}
          label={t('steps.branch.otherwise')}
          isOptional
        />
      </section>
    </>
  );
}

interface BranchProps extends StepFieldsProps {
  isOnly: boolean;
  onRemove: () => void;
}

/** `index` is that of the branch, `path` and `number` are those of the step. */
function Branch({ index, path, number, depth, StepList, isOnly, onRemove }: BranchProps) {
  const { t } = useTranslation();
  const of = { number: index + 1 };
  return (
    <section className="branch" aria-label={t('steps.branch.of', of)}>
      <Form.Item
        name={[index, 'when']}
        label={
          <span className="row">
            {t('steps.branch.when', of)}
            <Button
              type="text"
              size="small"
              icon={<DeleteOutlined aria-hidden />}
              aria-label={t('steps.branch.remove', of)}
              disabled={isOnly}
              onClick={onRemove}
            />
          </span>
        }
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <TemplateField
          isExpression
          className="mono"
          aria-label={t('steps.branch.when', of)}
          placeholder={CONDITION_EXAMPLE}
        />
      </Form.Item>
      <StepList
        name={[index, 'steps']}
        path={[...path, 'branches', index, 'steps']}
        number={`${number}.${index + 1}`}
        depth={depth + 1}
        label={t('steps.branch.steps', of)}
      />
    </section>
  );
}

function Content({ step, StepsView }: Parameters<typeof branchStep.Content>[0]) {
  const { t } = useTranslation();
  return (
    <>
      {step.branches.map(({ when, steps }, i) => (
        <section key={i} className="branch stack" aria-label={t('steps.branch.of', { number: i + 1 })}>
          <span>
            {t('steps.branch.when', { number: i + 1 })} <code>{when}</code>
          </span>
          <StepsView steps={steps} />
        </section>
      ))}
      {step.otherwise && (
        <section className="branch stack" aria-label={t('steps.branch.otherwise')}>
          <span>{t('steps.branch.otherwise')}</span>
          <StepsView steps={step.otherwise} />
        </section>
      )}
    </>
  );
}
