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
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, type To } from 'react-router';
import { client, keys } from '../../api.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../i18n.ts';
import { paths } from '../../paths.ts';
import { chooseScheme } from '../../theme.ts';
import { NativeDialog } from '../../ui/layout/native-dialog.tsx';
import { allAgentsQuery } from '../agents/agents-query.ts';
import { useIsAdmin } from '../auth/session.ts';
import './command-menu.css';
import { NAV_SECTIONS, visiblePages } from './nav.ts';
import { rank, type Ranked } from './rank.ts';

/** Entries of a group that are shown at once. */
const SHOWN = { actions: 6, pages: 20, agents: 6, conversations: 6 };
const GROUPS = ['actions', 'pages', 'agents', 'conversations'] as const;
type Group = (typeof GROUPS)[number];

interface Command extends Ranked {
  id: string;
  group: Group;
  icon: ReactNode;
  /** Shown at the end of the line. */
  hint?: string | undefined;
  /** Shown only if the text matches. */
  isHidden?: boolean;
  run: () => void;
}

interface CommandMenuProps {
  onClose: () => void;
  onHelp: () => void;
}

/** Goes to pages, agents, and conversations, and runs actions, by a few letters. */
export function CommandMenu({ onClose, onHelp }: CommandMenuProps) {
  const { t } = useTranslation();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [position, setPosition] = useState(0);
  const commands = useCommands(onClose, onHelp);
  const groups = useMemo(() => arrange(commands, text), [commands, text]);
  const shown = groups.flatMap(({ items }) => items);
  const active = shown[Math.min(position, shown.length - 1)];

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active?.id]);

  const onKeyDown = (event: KeyboardEvent) => {
    const last = shown.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: position >= last ? 0 : position + 1,
      ArrowUp: position <= 0 ? last : position - 1,
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next !== undefined) setPosition(next);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) active?.run();
    else return;
    event.preventDefault();
  };

  return (
    <NativeDialog label={t('commands.title')} className="command-menu" onClose={onClose}>
      <div className="command-search">
        <SearchOutlined aria-hidden />
        <input
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={active && optionId(listId, active)}
          aria-label={t('commands.title')}
          placeholder={t('commands.placeholder')}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPosition(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd aria-hidden>Esc</kbd>
      </div>
      <div ref={list} id={listId} role="listbox" aria-label={t('commands.results')} className="command-list">
        {groups.map(({ group, items }) => (
          <div key={group} role="group" aria-label={t(`commands.groups.${group}`)}>
            <div className="command-group" aria-hidden>
              {t(`commands.groups.${group}`)}
            </div>
            {items.map((command) => (
              <div
                key={command.id}
                id={optionId(listId, command)}
                role="option"
                aria-selected={command === active}
                className="command"
                onMouseMove={() => setPosition(shown.indexOf(command))}
                onClick={command.run}
              >
                {command.icon}
                <span className="truncate grow">{command.label}</span>
                {command.hint !== undefined && <span className="muted truncate">{command.hint}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="command-none muted">{t('commands.none', { text })}</p>}
      <span className="visually-hidden" role="status">
        {t('commands.count', { count: shown.length })}
      </span>
    </NativeDialog>
  );
}

const optionId = (listId: string, { id }: Command): string => `${listId}-${id}`;

function arrange(commands: readonly Command[], text: string): { group: Group; items: Command[] }[] {
  const isSearch = text.trim() !== '';
  const found = rank(commands, text).filter(({ isHidden }) => isSearch || isHidden !== true);
  // Without a text, pages and recent conversations are what people look for.
  const order: readonly Group[] = isSearch ? GROUPS : ['conversations', 'actions', 'agents', 'pages'];
  return order
    .map((group) => ({
      group,
      items: found.filter((command) => command.group === group).slice(0, isSearch ? SHOWN[group] : 5),
    }))
    .filter(({ items }) => items.length > 0);
}

function useCommands(onClose: () => void, onHelp: () => void): Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const agents = useQuery(allAgentsQuery);
  // The latest turns name the latest conversations of all agents.
  const turns = useQuery({
    queryKey: [...keys.turns, 'recent'],
    queryFn: () => client.turns.list({ limit: 100 }),
  });

  return useMemo(() => {
    const go = (to: To) => () => {
      onClose();
      void navigate(to);
    };
    const act = (action: () => void) => () => {
      onClose();
      action();
    };
    const nameOf = (agentId: string) => agents.data?.find(({ id }) => id === agentId)?.name;
    const action = (id: string, label: string, run: () => void, more: Partial<Command> = {}): Command => ({
      id,
      group: 'actions',
      icon: <PlusOutlined aria-hidden />,
      label,
      words: t('commands.actionWords'),
      run,
      ...more,
    });
    const actions = [
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
    const pages = visiblePages(isAdmin).map(({ to, label, icon: Icon, key, section }): Command => {
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
    const known = (agents.data ?? []).map(({ id, name, description, accessible }): Command => ({
      id: `agent-${id}`,
      group: 'agents',
      icon: <RobotOutlined aria-hidden />,
      label: name,
      words: description,
      hint: accessible ? t('commands.talk') : undefined,
      run: go(accessible ? paths.playground(id) : paths.agent(id)),
    }));
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
    return [...actions, ...pages, ...known, ...sessions.values()];
  }, [agents.data, isAdmin, navigate, onClose, onHelp, t, turns.data]);
}
