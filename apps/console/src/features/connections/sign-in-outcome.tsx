import { SIGN_IN_PROBLEMS } from '@platform/contracts';
import { Alert } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { tellConnected } from './connected-elsewhere.ts';

/** What came of a sign-in at a provider, which has led back to this page. */
export function SignInOutcome() {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const problem = SIGN_IN_PROBLEMS.find((one) => one === search.get('problem'));
  const isConnected = search.has('connected');
  useEffect(() => {
    if (isConnected) tellConnected();
  }, [isConnected]);
  if (problem === undefined && !isConnected) return null;
  const close = () =>
    setSearch(
      (before) => {
        for (const name of ['problem', 'connected', 'provider']) before.delete(name);
        return before;
      },
      { replace: true },
    );
  return (
    <Alert
      className="sign-in-outcome"
      type={problem === undefined ? 'success' : 'error'}
      showIcon
      title={problem === undefined ? t('connections.connected') : t(`connections.problems.${problem}`)}
      closable={{ onClose: close }}
    />
  );
}
