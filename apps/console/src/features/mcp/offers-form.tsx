import type { McpOffers, UpdateMcpOffersRequest } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { App, Button, Checkbox, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { usePageForm } from '../../ui/forms/use-page-form.ts';
import { NameSelect } from '../../ui/names/name-select.tsx';
import { agentNames } from '../agents/agent-names.ts';
import { AgentToolsField } from '../agents/form/agent-tools-field.tsx';
import { taskNames } from '../tasks/task-names.ts';
import { toolListingsQuery } from '../tools/tools-query.ts';
import { countTools, MAX_TOOLS } from './count-tools.ts';

/** Chooses what the space offers to MCP clients. */
export function OffersForm({ offers }: { offers: McpOffers }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { form, formProps, isDirty, isSending } = usePageForm<UpdateMcpOffersRequest>({
    initial: toRequest(offers),
    fields: ['agents', 'tasks', 'tools', 'knowledge'],
    saved: false,
    onSubmit: async ({ agents, tasks, tools, knowledge }) => {
      const saved = await client.mcp.updateOffers({ agents, tasks, tools, knowledge });
      queryClient.setQueryData(keys.mcpOffers, saved);
      void message.success(t('mcp.saved'));
    },
  });
  return (
    <Form {...formProps}>
      <AgentsField />
      <TasksField />
      <Form.Item name="tools" label={t('mcp.tools')}>
        <AgentToolsField />
      </Form.Item>
      <Form.Item name="knowledge" valuePropName="checked" extra={t('mcp.knowledgeHint')}>
        <Checkbox>{t('mcp.knowledge')}</Checkbox>
      </Form.Item>
      <div className="row wrap mcp-save">
        <Count form={form} />
        <Button type="primary" htmlType="submit" loading={isSending} disabled={!isDirty}>
          {t('mcp.save')}
        </Button>
      </div>
    </Form>
  );
}

function AgentsField() {
  const { t } = useTranslation();
  return (
    <Form.Item name="agents" label={t('mcp.agents')}>
      <NameSelect source={agentNames} multiple placeholder={t('mcp.agentsNone')} />
    </Form.Item>
  );
}

function TasksField() {
  const { t } = useTranslation();
  return (
    <Form.Item name="tasks" label={t('mcp.tasks')} extra={t('mcp.tasksHint')}>
      <NameSelect source={taskNames} filter={{ type: 'MANUAL' }} multiple placeholder={t('mcp.tasksNone')} />
    </Form.Item>
  );
}

/** How many tools a client could see, at most. */
function Count({ form }: { form: ReturnType<typeof Form.useForm<UpdateMcpOffersRequest>>[0] }) {
  const { t } = useTranslation();
  // Without values until the fields are there.
  const chosen = Form.useWatch((values: UpdateMcpOffersRequest) => values, form) as
    Partial<UpdateMcpOffersRequest> | undefined;
  const tools = useQuery(toolListingsQuery(chosen?.tools?.map(({ toolId }) => toolId) ?? []));
  if (tools.isError) return <span className="grow muted">{t('names.notLoaded')}</span>;
  // Never a sum without the tools that were just added.
  if (tools.data === undefined || tools.isPlaceholderData) return <span className="grow muted">…</span>;
  const count = countTools(chosen, tools.data);
  const isTooMany = count > MAX_TOOLS;
  return (
    <span className={isTooMany ? 'grow hint-warning' : 'grow muted'} aria-live="polite">
      {isTooMany ? t('mcp.tooMany', { max: MAX_TOOLS }) : t('mcp.count', { count, max: MAX_TOOLS })}
    </span>
  );
}

function toRequest({ agents, tasks, tools, knowledge }: McpOffers): UpdateMcpOffersRequest {
  return { agents: agents.map(({ id }) => id), tasks: tasks.map(({ id }) => id), tools, knowledge };
}
