import { CodeOutlined } from '@ant-design/icons';
import type { CodeStep } from '@platform/contracts';
import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../../../ui/code/code-field.tsx';
import { TRIGGERS } from '../../triggers/triggers.ts';
import { CodeHelp } from './code-help.tsx';
import type { StepDescriptor, StepFieldsProps, StepTexts } from '../step-kind.ts';

export const codeStep: StepDescriptor<CodeStep, StepTexts<'source'>> = {
  kind: 'code',
  icon: <CodeOutlined aria-hidden />,
  hasTurns: false,
  create: (type) => ({ source: TRIGGERS[type].exampleCode }),
  toValues: ({ source }) => ({ source }),
  toStep: (id, { source = '' }) => ({ id, kind: 'code', source }),
  Fields,
  Target: () => null,
  Content,
};

function Fields({ index }: StepFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name={[index, 'source']}
        label={t('steps.source')}
        extra={t('steps.sourceHint')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <CodeField language="javascript" label={t('steps.source')} minHeight="100px" />
      </Form.Item>
      <CodeHelp />
    </>
  );
}

function Content({ step }: { step: CodeStep }) {
  const { t } = useTranslation();
  return (
    <pre className="code-block" tabIndex={0} role="group" aria-label={t('steps.source')}>
      {step.source}
    </pre>
  );
}
