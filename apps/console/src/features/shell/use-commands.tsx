import {
  BulbOutlined,
  ClockCircleOutlined,
  FileSearchOutlined,
  GlobalOutlined,
  MessageOutlined,
  PlusOutlined,
  RobotOutlined,
  SearchOutlined,
  SettingOutlined,
  TagOutlined,
} from '@ant-design/icons';
import type { SearchHit } from '@platform/contracts';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, type To } from 'react-router';
import { client, keys } from '../../api.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../i18n.ts';
import { paths } from '../../paths.ts';
import { schemeChoice } from '../../theme.ts';
import { timeStyle } from '../../ui/format/time-style.ts';
import { useAgentName } from '../agents/agent-names.ts';
import { useIsAdmin } from '../auth/session.ts';
import { allViewsQuery } from '../views/views-query.ts';
import { targetOf, VIEW_PAGES } from '../views/view-pages.ts';
import type { Command, Group } from './commands.ts';
import { NAV_SECTIONS, visiblePages } from './nav.ts';

/** Everything that the menu can do: actions, pages, and what the service finds, or the latest agents and conversations. */
export function useCommands(text: string, onClose: () => void, onHelp: () => void): Command[] {
  const navigate = useNavigate();
  const act = (action: () => void) => () => {
    onClose();
    action();
  };
  const go = (to: To) => act(() => void navigate(to));
  const lists = [
    useActions(go, act, onHelp),
    usePages(go),
    useViews(go, text),
    useAgents(go, text),
    useConversations(go, text),
    useFound(go, text),
  ];
  return lists.flat();
}

type SearchKind = SearchHit['kind'];
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
    ...schemeChoice.choices.map((scheme) =>
      action(
        `theme-${scheme}`,
        t('commands.theme', { name: t(`theme.${scheme}`) }),
        act(() => schemeChoice.choose(scheme)),
        { icon: <BulbOutlined aria-hidden />, isHidden: true },
      ),
    ),
    ...timeStyle.choices.map((style) =>
      action(
        `times-${style}`,
        t('commands.times', { name: t(`times.${style}`) }),
        act(() => timeStyle.choose(style)),
        { icon: <ClockCircleOutlined aria-hidden />, isHidden: true },
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

/** With a text, the saved views. */
function useViews(go: Go, text: string): Command[] {
  const { t } = useTranslation();
  const views = useQuery({ ...allViewsQuery, enabled: text !== '' });
  return (views.data ?? []).map((view): Command => ({
    id: `view-${view.id}`,
    group: 'pages',
    icon: <TagOutlined aria-hidden />,
    label: view.name,
    words: t('views.title'),
    hint: t(VIEW_PAGES[view.page].label),
    isHidden: true,
    run: go(targetOf(view)),
  }));
}

/** Without a text, the latest agents. */
function useAgents(go: Go, text: string): Command[] {
  const { t } = useTranslation();
  const agents = useQuery({
    queryKey: [...keys.agents, 'latest'],
    queryFn: () => client.agents.list({ limit: 5 }),
    enabled: text === '',
  });
  if (text !== '') return [];
  return (agents.data?.items ?? []).map(({ id, name, accessible }): Command => ({
    id: `agent-${id}`,
    group: 'agents',
    icon: <RobotOutlined aria-hidden />,
    label: name,
    hint: accessible ? t('commands.talk') : undefined,
    run: go(accessible ? paths.playground(id) : paths.agent(id)),
  }));
}

/** Without a text, the latest conversations, which the latest turns name. */
function useConversations(go: Go, text: string): Command[] {
  const { t } = useTranslation();
  const nameOf = useAgentName();
  const turns = useQuery({
    queryKey: [...keys.turns, 'recent'],
    queryFn: () => client.turns.list({ limit: 20 }),
    enabled: text === '',
  });
  if (text !== '') return [];
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
      hint: nameOf({ agentId }),
      run: go(paths.playground(agentId, session.sessionId)),
    });
  }
  return [...sessions.values()];
}

export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) => client.search(text, {}, { signal }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });

/** What the service finds by the text, or by an id. */
function useFound(go: Go, text: string): Command[] {
  const { t } = useTranslation();
  const nameOf = useAgentName();
  const found = useQuery(searchQuery(text));
  if (text === '') return [];
  return (found.data?.items ?? []).map((hit): Command => {
    const { kind, id, title, parentId } = hit;
    const { group, icon } = SHOWN_AS[kind] ?? { group: 'found', icon: <FileSearchOutlined aria-hidden /> };
    const kindName = t(`commands.kinds.${kind}`);
    return {
      id: `found-${kind}-${parentId ?? ''}-${id}`,
      group,
      icon,
      label: title || id,
      hint: group === 'conversations' && parentId !== null ? nameOf({ agentId: parentId }) : kindName,
      isFound: true,
      run: go(pathOf(hit)),
    };
  });
}

const SHOWN_AS: Partial<Record<SearchKind, { group: Group; icon: ReactNode }>> = {
  agent: { group: 'agents', icon: <RobotOutlined aria-hidden /> },
  session: { group: 'conversations', icon: <MessageOutlined aria-hidden /> },
};

function pathOf({ kind, id, title, parentId }: SearchHit): To {
  const parent = parentId ?? '';
  switch (kind) {
    case 'agent':
      return paths.agent(id);
    case 'task':
      return paths.task(id);
    case 'tool':
      return paths.tool(id);
    case 'method':
      return paths.method(parent, id);
    case 'event':
      return paths.event(parent, title);
    case 'application':
      return paths.application(id);
    case 'document':
      return paths.document(id);
    case 'session':
      return paths.playground(parent, id);
    case 'member':
      return paths.members;
    case 'run':
      return paths.run(id);
    case 'envelope':
      return paths.envelope(id);
    case 'turn':
      return paths.trace(parent, id);
    case 'job':
      return paths.job(id);
    case 'subscription':
      return paths.subscription(id);
  }
}
