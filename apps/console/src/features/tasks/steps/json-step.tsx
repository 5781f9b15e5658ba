import type { Step, StepKind } from '@platform/contracts';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatJson, JsonView } from '../../../ui/code/json-view.tsx';
import { JsonField, parseObject } from './json-field.tsx';
import type { StepDescriptor } from './step-kind.ts';
import { OPTION_NAMES } from './step-options.ts';

/** A kind of steps whose fields are edited as one JSON object. */
export function jsonStep(kind: StepKind, icon: ReactNode, example: object): StepDescriptor<Step, 'fields'> {
  const fieldsOf = (step: Step) =>
    Object.fromEntries(
      Object.entries(step).filter(
        ([name]) => name !== 'id' && name !== 'kind' && !OPTION_NAMES.includes(name),
      ),
    );
  return {
    kind,
    icon,
    hasTurns: false,
    create: () => ({ fields: formatJson(example) }),
    toValues: (step) => ({ fields: formatJson(fieldsOf(step)) }),
    toStep: (id, { fields }) => ({ ...parseObject(fields), id, kind }) as object as Step,
    Fields: function Fields({ index }) {
      const { t } = useTranslation();
      return <JsonField name={[index, 'fields']} label={t('steps.fields')} />;
    },
    Target: () => null,
    Content: function Content({ step }) {
      const { t } = useTranslation();
      return <JsonView value={fieldsOf(step)} label={t('steps.fields')} />;
    },
  };
}
