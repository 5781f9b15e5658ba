import { DeleteOutlined, EditOutlined, MessageOutlined, MoreOutlined } from '@ant-design/icons';
import type { Agent, AgentListing } from '@platform/contracts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { paths } from '../../paths.ts';
import { Menu } from '../../ui/layout/menu.tsx';
import { isFullAgent } from './agent.ts';
import { useDeleteAgent } from './use-delete-agent.tsx';

/** The actions for an agent in the list. */
export function AgentMenu({ agent }: { agent: Agent | AgentListing }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const confirmDelete = useDeleteAgent();
  return (
    <span className="row" style={{ justifyContent: 'flex-end' }}>
      {agent.accessible && (
        <Button
          size="small"
          icon={<MessageOutlined aria-hidden />}
          onClick={() => void navigate(paths.playground(agent.id))}
        >
          {t('agents.try')}
          <span className="visually-hidden">{agent.name}</span>
        </Button>
      )}
      {isFullAgent(agent) && (
        <Menu
          align="end"
          groups={[
            {
              key: 'actions',
              items: [
                {
                  key: 'edit',
                  icon: <EditOutlined aria-hidden />,
                  label: t('common.edit'),
                  onSelect: () => void navigate(paths.agent(agent.id)),
                },
                {
                  key: 'delete',
                  danger: true,
                  icon: <DeleteOutlined aria-hidden />,
                  label: t('common.delete'),
                  onSelect: () => confirmDelete(agent),
                },
              ],
            },
          ]}
        >
          {(trigger) => (
            <Button
              size="small"
              type="text"
              icon={<MoreOutlined aria-hidden />}
              aria-label={t('common.moreActions', { name: agent.name })}
              {...trigger}
            />
          )}
        </Menu>
      )}
    </span>
  );
}
