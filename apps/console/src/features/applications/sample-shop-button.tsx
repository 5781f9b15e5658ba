import { useIsMutating, useMutation } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { useIsAdmin } from '../auth/session.ts';

const LOADING = ['load-sample-shop'];
/** Long enough to be read after the page has changed. */
const MESSAGE_SECONDS = 8;

/** Loads the sample shop, or what is missing of it. Only for admins. What it needs is loaded by the click. */
export function SampleShopButton() {
  return useIsAdmin() ? <LoadButton /> : null;
}

function LoadButton() {
  const { t } = useTranslation();
  const load = useLoadSampleShop();
  return (
    <Button loading={useIsMutating({ mutationKey: LOADING }) > 0} title={t('sampleShop.hint')} onClick={load}>
      {t('sampleShop.load')}
    </Button>
  );
}

/** The page that offers it may be gone before everything is loaded: its list is no longer empty. */
function useLoadSampleShop(): () => void {
  const { t } = useTranslation();
  const { message, modal } = App.useApp();
  const navigate = useNavigate();
  const load = useMutation({
    mutationKey: LOADING,
    mutationFn: async () => (await import('./load-sample-shop.ts')).loadSampleShop(t),
    onMutate: () => window.location.pathname,
    onSuccess: (_, __, startedAt) => {
      void message.success(t('sampleShop.loaded'), MESSAGE_SECONDS);
      // Who has gone elsewhere in the meantime stays there.
      if (window.location.pathname === startedAt) void navigate(paths.eventLog());
    },
    onError: (error) =>
      void modal.confirm({
        title: t('sampleShop.failed'),
        content: (
          <div className="stack">
            <p>{getErrorMessage(error.cause ?? error, t)}</p>
            {error.cause !== undefined && <p>{error.message}</p>}
          </div>
        ),
        okText: t('common.tryAgain'),
        cancelText: t('common.cancel'),
        onOk: () => load.mutate(),
      }),
    // An installation changes the catalog, the tasks, and the subscriptions as well.
    onSettled: () =>
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] }),
  });
  return () => load.mutate();
}
