import type { ExecuteResponse, ProductEventFields } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { JsonView } from '../../../ui/code/json-view.tsx';
import { isOfConversation, type Call } from '../request/call.ts';

interface ExecutionResultProps {
  agentId: string;
  call: Call;
  answer: string;
  completed: ProductEventFields['response.completed'];
}

/** An execution as its response without a stream, which the service builds from the same frames. */
export function ExecutionResult({ agentId, call, answer, completed }: ExecutionResultProps) {
  const { t } = useTranslation();
  const { execution_time, token_usage } = completed;
  const response: ExecuteResponse = { answer, agent_id: agentId, execution_time, token_usage };
  return (
    <details className="fold">
      <summary>
        {t('run.response')}
        {!isOfConversation(call) && <span className="muted facts">{t('run.notKept')}</span>}
      </summary>
      <JsonView value={response} label={t('run.response')} />
    </details>
  );
}
