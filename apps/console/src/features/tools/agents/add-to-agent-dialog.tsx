import type { Tool } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { App, Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { DialogForm } from '../../../ui/forms/dialog-form.tsx';
import { isFullAgent } from '../../agents/agent.ts';
import { allAgentsQuery } from '../../agents/agents-query.ts';
import { addTool, findTool } from './add-tool.ts';

interface AddToAgentDialogProps {
  tool: Pick<Tool, 'id' | 'name'>;
  onClose: () => void;
}

/** Adds a tool to one of the agents that the user may edit. */
export function AddToAgentDialog({ tool, onClose }: AddToAgentDialogProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const agents = useQuery(allAgentsQuery);
  const editable = agents.data?.filter(isFullAgent) ?? [];
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
          agents.isSuccess && editable.length === 0 ? (
            <>
              {t('toolAgents.noneEditable')} <Link to={paths.newAgent}>{t('agents.create')}</Link>
            </>
          ) : (
            t('toolAgents.hint')
          )
        }
        rules={[{ required: true, message: t('common.required') }]}
      >
        <Select
          loading={agents.isPending}
          disabled={agents.isSuccess && editable.length === 0}
          placeholder={t('toolAgents.placeholder')}
          showSearch={{ optionFilterProp: 'label' }}
          options={editable.map((agent) => {
            const isPresent = findTool(agent, tool.id) !== undefined;
            return {
              value: agent.id,
              label: isPresent ? t('toolAgents.option', { name: agent.name }) : agent.name,
              disabled: isPresent,
            };
          })}
        />
      </Form.Item>
    </DialogForm>
  );
}
