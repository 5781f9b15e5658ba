import { PlusOutlined } from '@ant-design/icons';
import type { StepKind, TaskType } from '@platform/contracts';
import { Button, Form } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { StepCard } from './step-card.tsx';
import { copyStep, createStep } from './step-forms.ts';
import { STEP_KINDS } from './step-kinds.ts';
import type { StepForm, StepListProps } from './step-kind.ts';

const WORKFLOW = ['workflow', 'steps'] as const;
/** As deep as the service lets steps be inside of others. */
const MAX_DEPTH = 4;

/** The steps of a workflow: add, copy, remove, reorder, and edit them. */
export function StepsField() {
  const { t } = useTranslation();
  return <StepList name={WORKFLOW} path={WORKFLOW} number="" depth={1} label={t('taskForm.steps')} />;
}

function StepList({ name, path, number, depth, label, isOptional = false }: StepListProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const list = useRef<HTMLOListElement>(null);
  const readAll = () => form.getFieldValue([...WORKFLOW]) as StepForm[];
  // What was added is what is edited next. It is not drawn yet.
  const focusStep = (index: number) =>
    requestAnimationFrame(() => list.current?.children[index]?.querySelector('fieldset')?.focus());
  return (
    <Form.List
      name={[...name]}
      rules={[
        {
          validator: (_, steps: StepForm[] | undefined) =>
            isOptional || (steps?.length ?? 0) > 0
              ? Promise.resolve()
              : Promise.reject(new Error(t('steps.none'))),
        },
      ]}
    >
      {(steps, { add, remove, move }, { errors }) => (
        <div className="stack">
          {steps.length > 0 && (
            <ol ref={list} className="steps" aria-label={label}>
              {steps.map(({ key, name: index }) => (
                <li key={key}>
                  <StepCard
                    index={index}
                    path={[...path, index]}
                    number={number === '' ? `${index + 1}` : `${number}.${index + 1}`}
                    depth={depth}
                    StepList={StepList}
                    isLast={index === steps.length - 1}
                    onMove={(by) => move(index, index + by)}
                    onCopy={() => {
                      add(copyStep(form.getFieldValue([...path, index]) as StepForm, readAll()), index + 1);
                      focusStep(index + 1);
                    }}
                    onRemove={() => remove(index)}
                  />
                </li>
              ))}
            </ol>
          )}
          <Form.ErrorList errors={errors} />
          <AddStep
            depth={depth}
            onAdd={(kind) => {
              add(createStep(kind, readAll(), form.getFieldValue('type') as TaskType));
              focusStep(steps.length);
            }}
          />
        </div>
      )}
    </Form.List>
  );
}

/** The kinds of steps. Inside of a step they are folded. */
function AddStep({ depth, onAdd }: { depth: number; onAdd: (kind: StepKind) => void }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const kinds = Object.values(STEP_KINDS).filter((kind) => !('listSteps' in kind) || depth < MAX_DEPTH);
  return (
    <div className="row wrap" role="group" aria-label={t('steps.add')}>
      {depth > 1 && (
        <Button
          size="small"
          type="dashed"
          icon={<PlusOutlined aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t('steps.add')}
        </Button>
      )}
      {(depth === 1 || isOpen) &&
        kinds.map(({ kind, icon }) => (
          <Button
            key={kind}
            size="small"
            icon={icon}
            onClick={() => {
              setOpen(false);
              onAdd(kind);
            }}
          >
            {t(`steps.addKinds.${kind}`)}
          </Button>
        ))}
    </div>
  );
}
