import { listVariables } from '@platform/contracts';
import { Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AgentForm } from './agent-values.ts';

export function NameField() {
  const { t } = useTranslation();
  const form = Form.useFormInstance<AgentForm>();
  const [isNew] = useState(() => form.getFieldValue('name') === '');
  return (
    <Form.Item
      name="name"
      label={t('common.name')}
      rules={[{ required: true, whitespace: true, message: t('common.required') }]}
    >
      <Input maxLength={120} placeholder={t('agentForm.namePlaceholder')} autoFocus={isNew} />
    </Form.Item>
  );
}

export function DescriptionField() {
  const { t } = useTranslation();
  return (
    <Form.Item name="description" label={t('common.description')}>
      <Input placeholder={t('agentForm.descriptionPlaceholder')} />
    </Form.Item>
  );
}

/** The system prompt, and the variables that it contains. */
export function SystemPromptField() {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name="systemPrompt"
        label={t('agentForm.systemPrompt')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input.TextArea
          className="mono"
          autoSize={{ minRows: 8, maxRows: 28 }}
          placeholder={t('agentForm.systemPromptPlaceholder')}
        />
      </Form.Item>
      <FoundVariables />
    </>
  );
}

function FoundVariables() {
  const { t } = useTranslation();
  const template = Form.useWatch<string | undefined>('systemPrompt') ?? '';
  const names = listVariables(template);
  return (
    <p className="found-variables muted">
      {names.length === 0 ? (
        t('agentForm.noVariables')
      ) : (
        <>
          {t('agentForm.variables')}{' '}
          {names.map((name) => (
            <code key={name} className="badge plain">
              {name}
            </code>
          ))}
        </>
      )}
    </p>
  );
}
