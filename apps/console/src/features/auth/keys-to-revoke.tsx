import type { PersonalApiKey } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import './keys-to-revoke.css';

interface KeysToRevokeProps {
  /** Set by Form.Item: ids of keys, or `all`. */
  value?: string[] | 'all';
  onChange?: (value: string[] | 'all') => void;
}

/** Selects API keys of the user, in all spaces, to revoke together with the password change. */
export function KeysToRevoke({ value = [], onChange }: KeysToRevokeProps) {
  const { t } = useTranslation();
  const list = useQuery({
    queryKey: keys.personalApiKeys,
    queryFn: () => client.auth.apiKeys({ limit: 200 }),
    staleTime: 0,
  });
  const items = list.data?.items ?? [];
  const all = value === 'all';
  if (!list.isError && items.length === 0) return null;

  const toggle = (id: string, checked: boolean) =>
    onChange?.(checked ? [...(all ? [] : value), id] : all ? [] : value.filter((each) => each !== id));

  return (
    <fieldset className="keys-to-revoke">
      <legend>{t('password.keys')}</legend>
      <p className="muted">{t(list.isError ? 'password.keysFailed' : 'password.keysHint')}</p>
      <Checkbox checked={all} onChange={({ target }) => onChange?.(target.checked ? 'all' : [])}>
        {t('password.allKeys')}
      </Checkbox>
      <ul tabIndex={0} aria-label={t('password.keys')}>
        {items.map((key) => (
          <li key={key.id}>
            <Checkbox
              checked={all || value.includes(key.id)}
              disabled={all}
              onChange={({ target }) => toggle(key.id, target.checked)}
            >
              {key.name}
              <small className="muted truncate">{describe(key)}</small>
            </Checkbox>
          </li>
        ))}
      </ul>
      {list.data?.nextCursor != null && (
        <p className="muted">{t('password.moreKeys', { count: items.length })}</p>
      )}
    </fieldset>
  );

  function describe({ prefix, space, expiresAt }: PersonalApiKey): string {
    const place = t('password.keyIn', { prefix, space: space.name });
    const expired = expiresAt !== null && new Date(expiresAt) <= new Date();
    return expired ? `${place} · ${t('password.keyExpired')}` : place;
  }
}
