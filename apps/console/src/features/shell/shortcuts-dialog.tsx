import { useTranslation } from 'react-i18next';
import { NativeDialog } from '../../ui/layout/native-dialog.tsx';
import { useIsAdmin } from '../auth/session.ts';
import './command-menu.css';
import { visiblePages } from './nav.ts';
import { MODIFIER } from './shortcuts.ts';

/** The keys that work on every page. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const general: [string[], string][] = [
    [[MODIFIER, 'K'], t('commands.title')],
    [['/'], t('shortcuts.search')],
    [['?'], t('shortcuts.title')],
    [['Esc'], t('shortcuts.close')],
  ];
  return (
    <NativeDialog label={t('shortcuts.title')} className="command-menu shortcuts" onClose={onClose}>
      <header className="row">
        <h2 className="grow">{t('shortcuts.title')}</h2>
        <button type="button" className="link-button muted" onClick={onClose} autoFocus>
          {t('shortcuts.done')} <kbd aria-hidden>Esc</kbd>
        </button>
      </header>
      <div className="shortcut-columns">
        <Keys title={t('shortcuts.general')} keys={general} />
        <Keys
          title={t('shortcuts.pages')}
          keys={visiblePages(useIsAdmin()).map(({ key, label }) => [['g', key], t(label)])}
        />
      </div>
    </NativeDialog>
  );
}

function Keys({ title, keys }: { title: string; keys: [string[], string][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {keys.map(([names, text]) => (
          <div key={names.join(' ')}>
            <dt>{text}</dt>
            <dd>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
