import {
  useId,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type ToggleEvent,
} from 'react';
import './menu.css';

interface MenuItem {
  key: string;
  label: ReactNode;
  icon?: ReactNode;
  /** Beside the label. */
  extra?: ReactNode;
  danger?: boolean;
  /** For items of which one is chosen. */
  checked?: boolean;
  onSelect: () => void;
}

interface MenuGroup {
  key: string;
  label?: string;
  items: MenuItem[];
}

/** What a button needs to open the menu. */
interface TriggerProps {
  popoverTarget: string;
  'aria-haspopup': 'menu';
}

interface MenuProps {
  groups: MenuGroup[];
  /** Which edge of the button the menu keeps to. */
  align?: 'start' | 'end';
  /** Renders the button. */
  children: (trigger: TriggerProps) => ReactElement;
}

const GAP = 4;
const MIN_SPACE = 220;

/**
 * A menu that a button opens. The browser's own popover: it lies above everything, a click beside it closes it, and the
 * focus returns to the button.
 */
export function Menu({ groups, align = 'start', children }: MenuProps) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);

  const prepare = ({ newState, currentTarget }: ToggleEvent<HTMLDivElement>) => {
    setIsOpen(newState === 'open');
    const button = document.querySelector(`[popovertarget="${id}"]`);
    if (newState === 'open' && button !== null)
      Object.assign(currentTarget.style, findPlace(button.getBoundingClientRect(), align));
  };
  const focusFirst = ({ newState }: ToggleEvent<HTMLDivElement>) => {
    if (newState === 'open') itemsOf(menu.current)[0]?.focus();
  };

  return (
    <>
      {children({ popoverTarget: id, 'aria-haspopup': 'menu' })}
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        className="menu"
        onBeforeToggle={prepare}
        onToggle={focusFirst}
        onKeyDown={(event) => handleKey(event, menu.current)}
      >
        {(isOpen ? groups : []).map(({ key, label, items }) => (
          <div key={key} role="group" aria-label={label}>
            {label !== undefined && (
              <div className="menu-label" aria-hidden>
                {label}
              </div>
            )}
            {items.map((item) => (
              <Item key={item.key} item={item} close={() => menu.current?.hidePopover()} />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function Item({ item, close }: { item: MenuItem; close: () => void }) {
  const { label, icon, extra, danger = false, checked, onSelect } = item;
  return (
    <button
      type="button"
      tabIndex={-1}
      role={checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      className={danger ? 'menu-item danger-text' : 'menu-item'}
      onClick={() => {
        // First, so that a dialog that the item opens gets the focus last.
        close();
        onSelect();
      }}
    >
      {icon}
      <span className="grow truncate">{label}</span>
      {extra !== undefined && <span className="muted">{extra}</span>}
    </button>
  );
}

/** Below the button, or above it if there is little space. */
function findPlace(button: DOMRect, align: 'start' | 'end'): CSSProperties {
  const { innerHeight, innerWidth } = window;
  const below = innerHeight - button.bottom - 2 * GAP;
  const above = button.top - 2 * GAP;
  const isBelow = below >= MIN_SPACE || below >= above;
  return {
    inset: 'auto',
    [isBelow ? 'top' : 'bottom']: `${isBelow ? button.bottom + GAP : innerHeight - button.top + GAP}px`,
    [align === 'start' ? 'left' : 'right']:
      `${align === 'start' ? button.left : innerWidth - button.right}px`,
    minWidth: `${align === 'start' ? button.width : 0}px`,
    maxHeight: `${isBelow ? below : above}px`,
  };
}

function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('.menu-item') ?? [])];
}

function handleKey(event: KeyboardEvent, menu: HTMLElement | null): void {
  const items = itemsOf(menu);
  const current = items.findIndex((item) => item === document.activeElement);
  const next = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: -1 }[event.key];
  if (next !== undefined) items.at(next % items.length)?.focus();
  else if (event.key === 'Escape' || event.key === 'Tab') menu?.hidePopover();
  else return;
  // Tab goes on from the button. The other keys act here, and not on what is behind the menu.
  if (event.key !== 'Tab') event.preventDefault();
  event.stopPropagation();
}
