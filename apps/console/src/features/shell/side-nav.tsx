import {
  AppstoreOutlined,
  BarChartOutlined,
  BookOutlined,
  BranchesOutlined,
  DatabaseOutlined,
  FileSearchOutlined,
  HomeOutlined,
  KeyOutlined,
  NodeIndexOutlined,
  PlayCircleOutlined,
  RobotOutlined,
  ScheduleOutlined,
  TeamOutlined,
  ThunderboltOutlined,
  ToolOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';
import { paths } from '../../paths.ts';
import { SpaceSwitch } from './space-switch.tsx';
import { UserMenu } from './user-menu.tsx';

export function SideNav() {
  const { t } = useTranslation();
  return (
    <div className="side-nav">
      <SpaceSwitch />
      <nav aria-label={t('shell.navigation')}>
        <ul>
          <Item to={paths.overview} icon={<HomeOutlined aria-hidden />} label={t('shell.pages.overview')} />
          <Item to={paths.agents} icon={<RobotOutlined aria-hidden />} label={t('agents.title')} />
          <Item
            to={paths.traces()}
            icon={<NodeIndexOutlined aria-hidden />}
            label={t('shell.pages.traces')}
          />
          <Item to={paths.jobs} icon={<ThunderboltOutlined aria-hidden />} label={t('jobs.title')} />
        </ul>
        <h2>{t('shell.automation')}</h2>
        <ul>
          <Item
            to={paths.eventLog()}
            icon={<UnorderedListOutlined aria-hidden />}
            label={t('shell.pages.eventLog')}
          />
          <Item
            to={paths.subscriptions}
            icon={<BranchesOutlined aria-hidden />}
            label={t('shell.pages.subscriptions')}
          />
          <Item to={paths.catalog} icon={<BookOutlined aria-hidden />} label={t('shell.pages.catalog')} />
          <Item to={paths.tasks} icon={<ScheduleOutlined aria-hidden />} label={t('shell.pages.tasks')} />
          <Item to={paths.runs()} icon={<PlayCircleOutlined aria-hidden />} label={t('shell.pages.runs')} />
        </ul>
        <h2>{t('shell.space')}</h2>
        <ul>
          <Item
            to={paths.applications}
            icon={<AppstoreOutlined aria-hidden />}
            label={t('shell.pages.applications')}
          />
          <Item to={paths.tools} icon={<ToolOutlined aria-hidden />} label={t('tools.title')} />
          <Item
            to={paths.knowledge}
            icon={<FileSearchOutlined aria-hidden />}
            label={t('shell.pages.knowledge')}
          />
          <Item to={paths.models} icon={<DatabaseOutlined aria-hidden />} label={t('models.title')} />
          <Item to={paths.apiKeys} icon={<KeyOutlined aria-hidden />} label={t('apiKeys.title')} />
          <Item to={paths.members} icon={<TeamOutlined aria-hidden />} label={t('members.title')} />
          <Item to={paths.usage} icon={<BarChartOutlined aria-hidden />} label={t('usage.title')} />
        </ul>
      </nav>
      <UserMenu />
    </div>
  );
}

function Item({ to, icon, label }: { to: string; icon: ReactNode; label: string }) {
  return (
    <li>
      <NavLink to={to} className="side-link">
        {icon}
        {label}
      </NavLink>
    </li>
  );
}
