import { InboxOutlined, LockOutlined, WarningOutlined } from '@ant-design/icons';
import type { UseQueryResult } from '@tanstack/react-query';
import { Button, Spin } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useInRouterContext } from 'react-router';
import { isForbidden, isNotFound, getErrorMessage, getRequestId } from './errors.ts';

interface StateProps {
  icon: ReactNode;
  title: string;
  text?: ReactNode;
  children?: ReactNode;
}

function State({ icon, title, text, children }: StateProps) {
  return (
    <div className="state">
      {icon}
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children !== undefined && <div className="actions">{children}</div>}
    </div>
  );
}

export function EmptyState({
  icon = <InboxOutlined aria-hidden />,
  ...state
}: Partial<StateProps> & { title: string }) {
  return <State icon={icon} {...state} />;
}

/** The state after a failed request: no permission, not found, or an error with a retry button. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  if (isForbidden(error)) {
    return (
      <State
        icon={<LockOutlined aria-hidden />}
        title={t('states.forbidden')}
        text={getErrorMessage(error, t)}
      >
        <WayOn />
      </State>
    );
  }
  if (isNotFound(error)) {
    return (
      <State
        icon={<InboxOutlined aria-hidden />}
        title={t('states.notFound')}
        text={getErrorMessage(error, t)}
      >
        <WayOn />
      </State>
    );
  }
  const requestId = getRequestId(error);
  return (
    <div role="alert">
      <State
        icon={<WarningOutlined aria-hidden />}
        title={t('states.failed')}
        text={
          <>
            {getErrorMessage(error, t)}
            {requestId !== null && <span className="mono"> · {requestId}</span>}
          </>
        }
      >
        {retry && <Button onClick={retry}>{t('common.tryAgain')}</Button>}
      </State>
    </div>
  );
}

/** Nobody should end on a page that leads nowhere. */
function WayOn() {
  const { t } = useTranslation();
  return useInRouterContext() ? <Link to="/">{t('notFound.home')}</Link> : null;
}

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'refetch'>;
  children: (data: T) => ReactNode;
}

/** What a request has loaded; until then, that it is being loaded, or why that failed. A failed reload leaves what is shown. */
export function Loaded<T>({ query: { data, error, isPending, refetch }, children }: LoadedProps<T>) {
  if (data !== undefined) return children(data);
  return isPending ? <PageSpinner /> : <ErrorState error={error} retry={() => void refetch()} />;
}

export function PageSpinner() {
  const { t } = useTranslation();
  return (
    <div className="center-screen">
      <Spin aria-label={t('common.loading')} />
    </div>
  );
}
