import { useTranslation } from 'react-i18next';
import { getErrorMessage } from '../layout/errors.ts';
import type { List } from './use-list.ts';

/** Why the next page of a list could not be loaded. */
export function MoreError({ list: { moreError } }: { list: Pick<List<unknown>, 'moreError'> }) {
  const { t } = useTranslation();
  if (moreError === null) return null;
  return (
    <p role="alert" className="danger-text">
      {getErrorMessage(moreError, t)}
    </p>
  );
}
