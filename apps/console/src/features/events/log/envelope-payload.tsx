import { DeleteOutlined } from '@ant-design/icons';
import type { EnvelopeDetail } from '@platform/contracts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { JsonView } from '../../../ui/code/json-view.tsx';
import { useConfirmDelete } from '../../../ui/forms/use-confirm-delete.ts';

interface EnvelopePayloadProps {
  envelope: EnvelopeDetail;
  /** The name of a user; the id of somebody who is no longer a member. */
  nameOf: (userId: string) => string;
}

/** The payload of an envelope, or what is left of it. */
export function EnvelopePayload({ envelope, nameOf }: EnvelopePayloadProps) {
  const { t, i18n } = useTranslation();
  const { erasure, payload } = envelope;
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <section className="stack" aria-labelledby="envelope-payload">
      <div className="row">
        <h2 id="envelope-payload">{t('eventLog.payload')}</h2>
        <span className="grow" />
        {erasure === null && <ErasePayloadButton envelope={envelope} />}
      </div>
      {erasure === null ? (
        <JsonView value={payload} label={t('eventLog.payload')} />
      ) : (
        <>
          <p>
            {t('erasure.erased', {
              time: time.format(new Date(erasure.erasedAt)),
              name: nameOf(erasure.erasedBy),
            })}
          </p>
          <p className="muted">
            {t('erasure.bytes', {
              count: erasure.bytes,
              formatted: new Intl.NumberFormat(i18n.language).format(erasure.bytes),
            })}{' '}
            {t('erasure.hash')} <span className="mono hash">{erasure.sha256}</span>
          </p>
        </>
      )}
    </section>
  );
}

function ErasePayloadButton({ envelope: { id, status } }: { envelope: EnvelopeDetail }) {
  const { t } = useTranslation();
  const confirm = useConfirmDelete();
  const erase = () =>
    confirm({
      title: t('erasure.title'),
      text: t('erasure.text'),
      verb: t('erasure.submit'),
      run: async () => {
        await client.events.erasePayload(id);
        await queryClient.invalidateQueries({ queryKey: keys.envelopes });
      },
    });
  return (
    <Button
      danger
      type="text"
      size="small"
      icon={<DeleteOutlined aria-hidden />}
      onClick={erase}
      disabled={status === 'PENDING'}
    >
      {t('erasure.action')}
    </Button>
  );
}
