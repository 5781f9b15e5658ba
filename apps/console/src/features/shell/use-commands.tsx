import {
  BulbOutlined,
  GlobalOutlined,
  MessageOutlined,
  PlusOutlined,
  RobotOutlined,
  SearchOutlined,
  SettingOutlined,
} from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate, type To } from 'react-router';
import { client, keys } from '../../api.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../i18n.ts';
import { paths } from '../../paths.ts';
import { chooseScheme } from '../../theme.ts';
import { allAgentsQuery } from '../agents/agents-query.ts';
import { useIsAdmin } from '../auth/session.ts';
import type { Command } from './commands.ts';
import { NAV_SECTIONS, visiblePages } from './nav.ts';

/** Everything that the menu can do: actions, pages, agents, and the latest conversations. */
export function useCommands(onClose: () => void, onHelp: () => void): Command[] {
  const navigate = useNavigate();
  const act = (action: () => void) => () => {
    onClose();
    action();
  };
  const go = (to: To) => act(() => void navigate(to));
  const lists = [useActions(go, act, onHelp), usePages(go), useAgents(go), useConversations(go)];
  return lists.flat();
}

/** Closes the menu and goes to a page. */
type Go = (to: To) => () => void;
/** Closes the menu and does something else. */
type Act = (action: () => void) => () => void;

function useActions(go: Go, act: Act, onHelp: () => void): Command[] {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const action = (id: string, label: string, run: () => void, more: Partial<Command> = {}): Command => ({
    id,
    group: 'actions',
    icon: <PlusOutlined aria-hidden />,
    label,
    words: t('commands.actionWords'),
    run,
    ...more,
  });
  return [
    action('new-agent', t('agents.create'), go(paths.newAgent)),
    action('new-job', t('jobs.create'), go(`${paths.jobs}?create=open`)),
    action('new-task', t('commands.newTask'), go(paths.newTask())),
    ...(isAdmin
      ? [
          action('import-tool', t('commands.importTool'), go(paths.importTool)),
          action('install', t('commands.install'), go(`${paths.applications}?install=open`)),
        ]
      : []),
    action('failed', t('commands.failedTurns'), go(paths.traces({ status: 'FAILED' })), {
      icon: <SearchOutlined aria-hidden />,
    }),
    action('help', t('shortcuts.title'), act(onHelp), { icon: <SettingOutlined aria-hidden />, hint: '?' }),
    ...(['light', 'dark', 'system'] as const).map((scheme) =>
      action(
        `theme-${scheme}`,
        t('commands.theme', { name: t(`theme.${scheme}`) }),
        act(() => chooseScheme(scheme)),
        { icon: <BulbOutlined aria-hidden />, isHidden: true },
      ),
    ),
    ...Object.entries(LANGUAGES).map(([language, name]) =>
      action(
        `language-${language}`,
        t('commands.language', { name }),
        act(() => void chooseLanguage(language as Language)),
        { icon: <GlobalOutlined aria-hidden />, isHidden: true },
      ),
    ),
  ];
}

function usePages(go: Go): Command[] {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  return visiblePages(isAdmin).map(({ to, label, icon: Icon, key, section }): Command => {
    const area = NAV_SECTIONS.find((one) => one === section && one !== 'work');
    return {
      id: `page-${key}`,
      group: 'pages',
      icon: <Icon aria-hidden />,
      label: t(label),
      words: area === undefined || area === 'work' ? '' : t(`shell.${area}`),
      hint: `g ${key}`,
      run: go(to),
    };
  });
}

function useAgents(go: Go): Command[] {
  const { t } = useTranslation();
  const agents = useQuery(allAgentsQuery);
  return (agents.data ?? []).map(({ id, name, description, accessible }): Command => ({
    id: `agent-${id}`,
    group: 'agents',
    icon: <RobotOutlined aria-hidden />,
    label: name,
    words: description,
    hint: accessible ? t('commands.talk') : undefined,
    run: go(accessible ? paths.playground(id) : paths.agent(id)),
  }));
}

/** The latest turns name the latest conversations of all agents. */
function useConversations(go: Go): Command[] {
  const { t } = useTranslation();
  const agents = useQuery(allAgentsQuery);
  const turns = useQuery({
    queryKey: [...keys.turns, 'recent'],
    queryFn: () => client.turns.list({ limit: 100 }),
  });
  const nameOf = (agentId: string) => agents.data?.find(({ id }) => id === agentId)?.name;
  const sessions = new Map<string, Command>();
  for (const { id, agentId, session } of turns.data?.items ?? []) {
    if (session?.isListed !== true) continue;
    const place = `${agentId} ${session.sessionId}`;
    if (sessions.has(place)) continue;
    sessions.set(place, {
      id: `session-${id}`,
      group: 'conversations',
      icon: <MessageOutlined aria-hidden />,
      label: session.title || t('sessions.untitled'),
      words: nameOf(agentId) ?? '',
      hint: nameOf(agentId),
      run: go(paths.playground(agentId, session.sessionId)),
    });
  }
  return [...sessions.values()];
}
