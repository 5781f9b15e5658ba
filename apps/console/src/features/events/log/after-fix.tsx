import type { EnvelopeDetail, Subscription } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { useNumbers } from '../../../ui/format/use-numbers.ts';

/** Names the subscription whose filter was changed because of the envelope. */
const FIXED = 'fixed';

/** After its filter was changed: whether the event matches now, and what the subscription has missed. */
export function AfterFix({ envelope }: { envelope: EnvelopeDetail }) {
  const [search] = useSearchParams();
  const fixed = search.get(FIXED);
  const subscription = useQuery({
    queryKey: keys.subscription(fixed ?? ''),
    queryFn: () => client.events.subscription(fixed ?? ''),
    enabled: fixed !== null,
  });
  if (fixed === null || subscription.data === undefined) return null;
  return <Verdict envelope={envelope} subscription={subscription.data} />;
}

interface VerdictProps {
  envelope: EnvelopeDetail;
  subscription: Subscription;
}

function Verdict({ envelope, subscription }: VerdictProps) {
  const { t } = useTranslation();
  const { applicationIdentifier, event } = envelope;
  const { filter } = subscription;
  const preview = useQuery({
    queryKey: [...keys.filterPreview, { applicationIdentifier, event }, filter],
    queryFn: () => client.events.previewFilter({ applicationIdentifier, event, filter }),
  });
  if (preview.data === undefined) return null;
  // Only the latest events are tried.
  const verdict = preview.data.items.find(({ envelopeId }) => envelopeId === envelope.id);
  if (verdict?.matches === false)
    return (
      <Alert
        type="warning"
        showIcon
        role="status"
        title={t('afterFix.mismatch')}
        description={verdict.reason}
      />
    );
  return (
    <Alert
      type="success"
      showIcon
      role="status"
      title={t(verdict === undefined ? 'afterFix.unknown' : 'afterFix.matches')}
      description={<Replays envelope={envelope} subscription={subscription} />}
    />
  );
}

/** Offers to deliver this event, or all from it until now, to the subscription. */
function Replays({ envelope, subscription }: VerdictProps) {
  const { t, i18n } = useTranslation();
  const { whole } = useNumbers();
  const { message } = App.useApp();
  const [, setSearch] = useSearchParams();
  const [to] = useState(() => new Date().toISOString());
  const { applicationIdentifier, event, emittedAt: from } = envelope;
  const subscriptionIds = [subscription.id];
  const query = { applicationIdentifier, event, from, to, subscriptionIds };
  const missed = useQuery({
    queryKey: [...keys.bulkReplays, 'missed', query],
    queryFn: () => client.events.previewBulkReplay(query),
  });
  const finish = async () => {
    setSearch((known) => without(known, FIXED), { replace: true });
    await Promise.all(
      [keys.envelopes, keys.bulkReplays].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
  };
  const onError = (error: Error) => void message.error(getErrorMessage(error, t));
  const one = useMutation({
    mutationFn: () => client.events.replay(envelope.id, { subscriptionIds }),
    onSuccess: finish,
    onError,
  });
  const all = useMutation({
    mutationFn: () => client.events.createBulkReplay(query),
    onSuccess: async () => {
      void message.success(t('afterFix.started'));
      await finish();
    },
    onError,
  });
  const count = missed.data?.count ?? 0;
  const since = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(from),
  );
  return (
    <>
      <div className="row wrap">
        <Button type="primary" loading={one.isPending} onClick={() => one.mutate()}>
          {t('afterFix.one')}
        </Button>
        {count > 1 && (
          <Button loading={all.isPending} onClick={() => all.mutate()}>
            {t('afterFix.all', { count, formatted: whole(count), since })}
          </Button>
        )}
      </div>
      {count > 1 && <p className="muted">{t('afterFix.again')}</p>}
    </>
  );
}

function without(search: URLSearchParams, name: string): URLSearchParams {
  const next = new URLSearchParams(search);
  next.delete(name);
  return next;
}
