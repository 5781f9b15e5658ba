import type { Tool } from '@platform/contracts';
import { App, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { DialogForm } from '../../../ui/forms/dialog-form.tsx';
import { NameSelect } from '../../../ui/names/name-select.tsx';
import { useOffered } from '../../../ui/names/use-offered.ts';
import { isFullAgent } from '../../agents/agent.ts';
import { agentNames } from '../../agents/agent-names.ts';
import { useIsAdmin } from '../../auth/session.ts';
import { addTool, findTool } from './add-tool.ts';

interface AddToAgentDialogProps {
  tool: Pick<Tool, 'id' | 'name'>;
  onClose: () => void;
}

/** Adds a tool to one of the agents that the user may edit. */
export function AddToAgentDialog({ tool, onClose }: AddToAgentDialogProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const isAdmin = useIsAdmin();
  const editable = isAdmin ? undefined : { ownedOnly: true };
  const { items, isLoaded } = useOffered(agentNames, '', editable);
  const isNone = items.length === 0 && isLoaded;
  return (
    <DialogForm
      title={t('toolAgents.title', { name: tool.name })}
      submitText={t('toolAgents.submit')}
      fields={['agentId']}
      save={({ agentId }: { agentId: string }) => addTool(agentId, tool)}
      onSaved={async (added) => {
        await queryClient.invalidateQueries({ queryKey: keys.agents });
        const names = { tool: tool.name, agent: added?.agent.name };
        if (added === null) void message.error(t('agents.foreign'));
        else if (added.isAdded) void message.success(t('toolAgents.added', names));
        else void message.info(t('toolAgents.present', names));
        onClose();
      }}
      onClose={onClose}
    >
      <Form.Item
        name="agentId"
        label={t('agents.agent')}
        extra={
          isNone ? (
            <>
              {t('toolAgents.noneEditable')} <Link to={paths.newAgent}>{t('agents.create')}</Link>
            </>
          ) : (
            t('toolAgents.hint')
          )
        }
        rules={[{ required: true, message: t('common.required') }]}
      >
        <NameSelect
          source={agentNames}
          {...(editable && { filter: editable })}
          disabled={isNone}
          placeholder={t('toolAgents.placeholder')}
          describe={(agent) =>
            isFullAgent(agent) && findTool(agent, tool.id) !== undefined
              ? { hint: t('toolAgents.isPresent'), disabled: true }
              : {}
          }
        />
      </Form.Item>
    </DialogForm>
  );
}
