import type { ContentItem } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

/** Commands of the built-in model. They show what an agent can do without any model server. */
const COMMANDS = [
  ['question', '/ask Which color do you like? | Red | Green | Blue | other'],
  ['tool', '/call current_time.now {}'],
  ['think', '/think 3000\nTake your time.'],
  ['long', '/long 300'],
  ['fail', '/fail'],
] as const;

interface WelcomeProps {
  agentName: string;
  isOffline: boolean;
  onSend: (contents: ContentItem[]) => void;
}

/** The beginning of a conversation. With the built-in model, one click tries out what it knows. */
export function Welcome({ agentName, isOffline, onSend }: WelcomeProps) {
  const { t } = useTranslation();
  return (
    <div className="welcome">
      <h2>{t('playground.welcome', { name: agentName })}</h2>
      <p className="muted">{t(isOffline ? 'playground.offlineText' : 'playground.welcomeText')}</p>
      {isOffline && (
        <ul className="examples" aria-label={t('playground.examples')}>
          {COMMANDS.map(([name, text]) => (
            <li key={name}>
              <button type="button" onClick={() => onSend([{ type: 'text', text }])}>
                <strong>{t(`playground.commands.${name}`)}</strong>
                <span className="mono muted truncate">{text.split('\n')[0]}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
