import type { AccountBalance } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { ErrorState } from '../../ui/layout/states.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { useSession } from '../auth/session.ts';

/** The balances of the caller and of the space. */
export function Balances() {
  const { t } = useTranslation();
  const { space } = useSession();
  const balance = useQuery({ queryKey: [...keys.usage, 'balance'], queryFn: () => client.usage.balance() });
  if (balance.data === undefined && balance.isError) {
    return <ErrorState error={balance.error} retry={() => void balance.refetch()} />;
  }
  return (
    <div className="balances">
      <Account name={t('usage.yours')} account={balance.data?.user} />
      <Account name={t('usage.space', { space: space.name })} account={balance.data?.space} />
    </div>
  );
}

function Account({ name, account }: { name: string; account: AccountBalance | undefined }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  return (
    <section className="card balance">
      <h2 className="truncate">{name}</h2>
      {account === undefined ? (
        <span className="skeleton-bar" />
      ) : (
        <>
          <p className={account.limited && account.balance <= 0 ? 'figure danger-text' : 'figure'}>
            {account.limited
              ? t('usage.left', { tokens: whole(Math.max(0, account.balance)) })
              : t('usage.unlimited')}
          </p>
          <p className="muted">
            {account.limited
              ? account.held > 0
                ? t('usage.held', { tokens: whole(account.held) })
                : t('usage.nothingHeld')
              : t('usage.usedSoFar', { tokens: whole(0 - account.balance) })}
          </p>
        </>
      )}
    </section>
  );
}
