import { Form } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../ui/layout/card.tsx';
import { SaveBar } from '../../../ui/forms/save-bar.tsx';
import { usePageForm } from '../../../ui/forms/use-page-form.ts';
import { AGENT_FIELDS, AGENT_FIELD_NAMES } from './agent-fields.tsx';
import type { AgentForm } from './agent-values.ts';

const CARDS = [
  { card: 'basics', title: 'agentForm.basics', text: undefined },
  { card: 'instructions', title: 'agentForm.instructions', text: undefined },
  { card: 'tools', title: 'tools.title', text: 'tools.text' },
  { card: 'access', title: 'agentForm.access', text: 'agentForm.accessText' },
] as const;

interface AgentFormCardsProps {
  initial: AgentForm;
  submitLabel: string;
  /** Whether the current values are saved. */
  saved?: boolean;
  onSubmit: (values: AgentForm, isLatest: () => boolean) => Promise<unknown>;
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
  const { formProps, isDirty, isSending } = usePageForm({
    initial,
    fields: AGENT_FIELD_NAMES,
    saved,
    onSubmit,
  });

  return (
    <Form<AgentForm> {...formProps}>
      <div className={aside === undefined ? 'stack-cards' : 'with-aside'}>
        <div className="stack-cards">
          {CARDS.map(({ card, title, text }) => (
            <Card key={card} title={t(title)} {...(text !== undefined && { text: t(text) })}>
              {Object.entries(AGENT_FIELDS).map(
                ([name, { card: place, Field }]) => place === card && Field !== null && <Field key={name} />,
              )}
            </Card>
          ))}
        </div>
        {aside}
      </div>
      <SaveBar isDirty={isDirty} isSending={isSending} submitLabel={submitLabel} onCancel={onCancel} />
    </Form>
  );
}
