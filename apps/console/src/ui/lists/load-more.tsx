import { Button, type ButtonProps } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { getErrorMessage } from '../layout/errors.ts';
import type { List } from './use-list.ts';

interface LoadMoreProps extends Pick<ButtonProps, 'block' | 'size' | 'type'> {
  list: Pick<List<unknown>, 'hasMore' | 'loadingMore' | 'moreError' | 'loadMore'>;
  /** What the button says if more is not only loaded, but looked for. */
  label?: string;
  /** What stands before the button. */
  children?: ReactNode;
}

/** Loads the next page of a list, if there is one, and says why that could not be done. */
export function LoadMore({ list, label, children, ...button }: LoadMoreProps) {
  const { t } = useTranslation();
  const { hasMore, loadingMore, moreError, loadMore } = list;
  if (!hasMore) return null;
  return (
    <>
      {moreError !== null && (
        <p role="alert" className="danger-text">
          {getErrorMessage(moreError, t)}
        </p>
      )}
      {children}
      <Button {...button} onClick={loadMore} loading={loadingMore}>
        {label ?? t('common.loadMore')}
      </Button>
    </>
  );
}
