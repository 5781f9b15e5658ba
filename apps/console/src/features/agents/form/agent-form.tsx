import { listVariables } from '@platform/contracts';
import { Form, Input } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../ui/layout/card.tsx';
import { SaveBar } from '../../../ui/forms/save-bar.tsx';
import { usePageForm } from '../../../ui/forms/use-page-form.ts';
import { AccessFields } from './access-fields.tsx';
import { AGENT_FIELDS, type AgentForm } from '../agent.ts';
import { ModelField } from './model-field.tsx';
import { SettingsFields } from './settings-fields.tsx';
import { ToolsFields } from './tools-fields.tsx';

interface AgentFormCardsProps {
  initial: AgentForm;
  submitLabel: string;
  /** Whether the current values are saved. */
  saved?: boolean;
  onSubmit: (values: AgentForm) => Promise<unknown>;
  onCancel: () => void;
  /** Shown next to the form on wide screens, below it on narrow ones. */
  aside?: ReactNode;
}

/** The form for all fields of an agent. Ctrl+S or Cmd+S saves it. */
export function AgentFormCards({
  initial,
  submitLabel,
  saved = false,
  onSubmit,
  onCancel,
  aside,
}: AgentFormCardsProps) {
  const { t } = useTranslation();
  const { formProps, isDirty, isSending } = usePageForm({ initial, fields: AGENT_FIELDS, saved, onSubmit });

  return (
    <Form<AgentForm> {...formProps}>
      <div className={aside === undefined ? 'stack-cards' : 'with-aside'}>
        <div className="stack-cards">
          <Card title={t('agentForm.basics')}>
            <Form.Item
              name="name"
              label={t('common.name')}
              rules={[{ required: true, whitespace: true, message: t('common.required') }]}
            >
              <Input
                maxLength={120}
                placeholder={t('agentForm.namePlaceholder')}
                autoFocus={initial.name === ''}
              />
            </Form.Item>
            <Form.Item name="description" label={t('common.description')}>
              <Input placeholder={t('agentForm.descriptionPlaceholder')} />
            </Form.Item>
            <ModelField />
          </Card>
          <Card title={t('agentForm.instructions')}>
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
            <SettingsFields />
          </Card>
          <Card title={t('tools.title')} text={t('tools.text')}>
            <ToolsFields />
          </Card>
          <Card title={t('agentForm.access')} text={t('agentForm.accessText')}>
            <AccessFields />
          </Card>
        </div>
        {aside}
      </div>
      <SaveBar isDirty={isDirty} isSending={isSending} submitLabel={submitLabel} onCancel={onCancel} />
    </Form>
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
