import {
  ApiOutlined,
  AppstoreOutlined,
  AuditOutlined,
  BarChartOutlined,
  BellOutlined,
  BookOutlined,
  BranchesOutlined,
  DatabaseOutlined,
  FileSearchOutlined,
  HomeOutlined,
  InboxOutlined,
  KeyOutlined,
  LinkOutlined,
  NodeIndexOutlined,
  PlayCircleOutlined,
  RobotOutlined,
  ScheduleOutlined,
  ShareAltOutlined,
  TeamOutlined,
  ThunderboltOutlined,
  ToolOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons';
import { paths } from '../../paths.ts';

export const NAV_SECTIONS = ['work', 'automation', 'space'] as const;

/** The pages of the navigation. `key` opens a page after the key "g". */
export const NAV = [
  { section: 'work', to: paths.overview, label: 'shell.pages.overview', icon: HomeOutlined, key: 'h' },
  { section: 'work', to: paths.inbox, label: 'shell.pages.inbox', icon: InboxOutlined, key: 'n' },
  { section: 'work', to: paths.agents, label: 'agents.title', icon: RobotOutlined, key: 'a' },
  { section: 'work', to: paths.traces(), label: 'shell.pages.traces', icon: NodeIndexOutlined, key: 't' },
  { section: 'work', to: paths.jobs, label: 'jobs.title', icon: ThunderboltOutlined, key: 'j' },
  {
    section: 'automation',
    to: paths.eventLog(),
    label: 'shell.pages.eventLog',
    icon: UnorderedListOutlined,
    key: 'e',
    isAdminOnly: true,
  },
  {
    section: 'automation',
    to: paths.subscriptions,
    label: 'shell.pages.subscriptions',
    icon: BranchesOutlined,
    key: 's',
    isAdminOnly: true,
  },
  { section: 'automation', to: paths.catalog, label: 'shell.pages.catalog', icon: BookOutlined, key: 'c' },
  { section: 'automation', to: paths.tasks, label: 'shell.pages.tasks', icon: ScheduleOutlined, key: 'k' },
  { section: 'automation', to: paths.runs(), label: 'shell.pages.runs', icon: PlayCircleOutlined, key: 'r' },
  {
    section: 'space',
    to: paths.applications,
    label: 'shell.pages.applications',
    icon: AppstoreOutlined,
    key: 'p',
    isAdminOnly: true,
  },
  { section: 'space', to: paths.tools, label: 'tools.title', icon: ToolOutlined, key: 'o' },
  {
    section: 'space',
    to: paths.connections(),
    label: 'shell.pages.connections',
    icon: LinkOutlined,
    key: 'x',
  },
  {
    section: 'space',
    to: paths.knowledge,
    label: 'shell.pages.knowledge',
    icon: FileSearchOutlined,
    key: 'd',
  },
  { section: 'space', to: paths.models, label: 'models.title', icon: DatabaseOutlined, key: 'm' },
  { section: 'space', to: paths.apiKeys, label: 'apiKeys.title', icon: KeyOutlined, key: 'i' },
  { section: 'space', to: paths.mcp, label: 'shell.pages.mcp', icon: ShareAltOutlined, key: 'v' },
  { section: 'space', to: paths.members, label: 'members.title', icon: TeamOutlined, key: 'b' },
  { section: 'space', to: paths.usage, label: 'usage.title', icon: BarChartOutlined, key: 'u' },
  {
    section: 'space',
    to: paths.webhooks,
    label: 'shell.pages.webhooks',
    icon: ApiOutlined,
    key: 'w',
    isAdminOnly: true,
  },
  {
    section: 'space',
    to: paths.notifications,
    label: 'shell.pages.notifications',
    icon: BellOutlined,
    key: 'f',
    isAdminOnly: true,
  },
  {
    section: 'space',
    to: paths.audit(),
    label: 'shell.pages.audit',
    icon: AuditOutlined,
    key: 'l',
    isAdminOnly: true,
  },
] as const;

/** The pages that the user may open. */
export function visiblePages(isAdmin: boolean): (typeof NAV)[number][] {
  return NAV.filter((page) => isAdmin || !('isAdminOnly' in page));
}
