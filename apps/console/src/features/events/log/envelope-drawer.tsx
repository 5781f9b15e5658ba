import { LinkOutlined, RedoOutlined } from '@ant-design/icons';
import type { EnvelopeDetail } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { paths } from '../../../paths.ts';
import { CopyButton } from '../../../ui/code/copy-button.tsx';
import { Fact, Facts } from '../../../ui/layout/facts.tsx';
import { Loaded } from '../../../ui/layout/states.tsx';
import { Time } from '../../../ui/format/time.tsx';
import { usePersonName } from '../../members/person-names.ts';
import { AfterFix } from './after-fix.tsx';
import { CausationTree } from './causation-tree.tsx';
import { DeliveriesText } from './deliveries-text.tsx';
import { envelopeQuery } from './envelope-query.ts';
import { EnvelopePayload } from './envelope-payload.tsx';
import { EnvelopeStatusBadge, ReasonText } from './envelope-status.tsx';
import '../events.css';
import { Generations } from './generations.tsx';
import { ReplayDialog } from './replay-dialog.tsx';

/** An envelope of the log, above the list. */
export function Component() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { search } = useLocation();
  const { envelopeId = '' } = useParams();
  const envelope = useQuery(envelopeQuery(envelopeId));
  const { data } = envelope;
  return (
    <Drawer
      open
      size={720}
      onClose={() => void navigate({ pathname: paths.eventLog(), search })}
      title={<span className="mono">{data?.event ?? t('eventLog.envelope')}</span>}
      extra={data && <ReplayButton envelope={data} />}
    >
      <Loaded query={envelope}>{(loaded) => <Details envelope={loaded} />}</Loaded>
    </Drawer>
  );
}

function Details({ envelope }: { envelope: EnvelopeDetail }) {
  const { t } = useTranslation();
  const personName = usePersonName();
  const { id, status, statusReason, actorUserId, causationRunId } = envelope;
  const nameOf = (userId: string) => personName(userId) ?? userId;
  return (
    <div className="stack envelope">
      <AfterFix envelope={envelope} />
      <div className="row wrap">
        <EnvelopeStatusBadge status={status} />
        <span className={status === 'FAILED' ? 'danger-text' : 'muted'}>
          {statusReason === null
            ? status === 'DISPATCHED' && t('eventLog.matched', { count: envelope.matchedCount })
            : null}
          {status === 'DISPATCHED' && envelope.matchedCount > 0 && (
            <>
              {' · '}
              <DeliveriesText deliveries={envelope.deliveries} matchedCount={envelope.matchedCount} />
            </>
          )}
          <ReasonText reason={statusReason} />
        </span>
      </div>
      {envelope.lastError !== null && <p className="error-box">{envelope.lastError}</p>}
      <Facts>
        <Fact name={t('eventLog.id')}>
          <span className="mono">{id}</span>{' '}
          <CopyButton size="small" type="text" text={id} label={t('eventLog.copyId')} />
        </Fact>
        <Fact name={t('eventLog.application')}>{envelope.applicationIdentifier}</Fact>
        <Fact name={t('eventLog.source')}>{t(`eventLog.sources.${envelope.source}`)}</Fact>
        <Fact name={t('eventLog.emitted')}>
          <Time iso={envelope.emittedAt} />
        </Fact>
        {actorUserId !== null && <Fact name={t('eventLog.actor')}>{nameOf(actorUserId)}</Fact>}
        {envelope.idempotencyKey !== null && (
          <Fact name={t('eventLog.idempotencyKey')}>
            <span className="mono">{envelope.idempotencyKey}</span>
          </Fact>
        )}
        {causationRunId !== null && (
          <Fact name={t('eventLog.causedBy')}>
            <Link to={paths.run(causationRunId)}>
              <LinkOutlined aria-hidden /> {t('eventLog.aRun')}
            </Link>
          </Fact>
        )}
      </Facts>
      <EnvelopePayload envelope={envelope} nameOf={nameOf} />
      <Generations envelopeId={id} generations={envelope.generations} />
      {envelope.causation.length > 1 && <CausationTree nodes={envelope.causation} currentId={id} />}
    </div>
  );
}

function ReplayButton({ envelope }: { envelope: EnvelopeDetail }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        icon={<RedoOutlined aria-hidden />}
        onClick={() => setOpen(true)}
        disabled={envelope.status === 'PENDING' || envelope.erasure !== null}
      >
        {t('replay.submit')}
      </Button>
      {isOpen && <ReplayDialog envelope={envelope} onClose={() => setOpen(false)} />}
    </>
  );
}
