import { LockOutlined, TeamOutlined } from '@ant-design/icons';
import type { AgentListing } from '@platform/contracts';
import { Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';

export function AccessBadge({ agent }: { agent: AgentListing }) {
  const { t } = useTranslation();
  const restricted = agent.accessScope === 'RESTRICTED';
  return (
    <span className="row wrap">
      <span className="badge plain">
        {restricted ? <LockOutlined aria-hidden /> : <TeamOutlined aria-hidden />}
        {t(restricted ? 'access.restricted' : 'access.space')}
      </span>
      {!agent.accessible && (
        <Tooltip title={t('access.notYouText')}>
          <span className="badge warning" tabIndex={0}>
            {t('access.notYou')}
          </span>
        </Tooltip>
      )}
    </span>
  );
}
