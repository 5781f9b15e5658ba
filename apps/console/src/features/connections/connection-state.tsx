import type { Connection } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { stateOf } from './use-connections.ts';

/** Whether a connection is usable. */
export function ConnectionState({ connection }: { connection: Connection }) {
  const { t } = useTranslation();
  const state = stateOf(connection);
  return (
    <span className={`badge ${state === 'ACTIVE' ? 'success' : 'warning'}`}>
      {t(`connections.status.${state}`)}
    </span>
  );
}
