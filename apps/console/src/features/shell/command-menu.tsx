import { SearchOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettled } from '../../ui/browser/use-settled.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { NativeDialog } from '../../ui/layout/native-dialog.tsx';
import './command-menu.css';
import { arrange, type Command, type Group } from './commands.ts';
import { searchQuery, useCommands } from './use-commands.tsx';

/** The pause in typing after which the service is asked. */
const SETTLED_MS = 150;

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
  const settled = useSettled(text.trim(), SETTLED_MS);
  const wanted = text.trim() === '' ? '' : settled;
  const commands = useCommands(wanted, onClose, onHelp);
  const groups = arrange(commands, text);
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
          <CommandGroup
            key={group}
            group={group}
            items={items}
            active={active}
            idOf={(command) => optionId(listId, command)}
            onPoint={(command) => setPosition(shown.indexOf(command))}
          />
        ))}
      </div>
      <SearchNote searched={wanted} text={text} isNothing={shown.length === 0} />
      <span className="visually-hidden" role="status">
        {t('commands.count', { count: shown.length })}
      </span>
    </NativeDialog>
  );
}

interface SearchNoteProps {
  /** What the service was asked for. */
  searched: string;
  text: string;
  isNothing: boolean;
}

/** That nothing was found, or that the service could not be asked. */
function SearchNote({ searched, text, isNothing }: SearchNoteProps) {
  const { t } = useTranslation();
  const { error, isFetching } = useQuery(searchQuery(searched));
  if (error !== null)
    return (
      <p role="alert" className="command-none danger-text">
        {getErrorMessage(error, t)}
      </p>
    );
  if (!isNothing || isFetching || searched !== text.trim()) return null;
  return <p className="command-none muted">{t('commands.none', { text })}</p>;
}

const optionId = (listId: string, { id }: Command): string => `${listId}-${id}`;

interface CommandGroupProps {
  group: Group;
  items: Command[];
  active: Command | undefined;
  idOf: (command: Command) => string;
  onPoint: (command: Command) => void;
}

function CommandGroup({ group, items, active, idOf, onPoint }: CommandGroupProps) {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={t(`commands.groups.${group}`)}>
      <div className="command-group" aria-hidden>
        {t(`commands.groups.${group}`)}
      </div>
      {items.map((command) => (
        <div
          key={command.id}
          id={idOf(command)}
          role="option"
          aria-selected={command === active}
          className="command"
          onMouseMove={() => onPoint(command)}
          onClick={command.run}
        >
          {command.icon}
          <span className="truncate grow">{command.label}</span>
          {command.hint !== undefined && <span className="muted truncate">{command.hint}</span>}
        </div>
      ))}
    </div>
  );
}
