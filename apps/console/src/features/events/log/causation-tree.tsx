import type { CausationNode } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { paths } from '../../../paths.ts';
import { Time } from '../../../ui/format/time.tsx';
import { buildCausation, type CausationBranch } from './causation.ts';
import { EnvelopeStatusBadge, ReasonText } from './envelope-status.tsx';

/** The events of one first emission: each below the event whose run emitted it. */
export function CausationTree({ nodes, currentId }: { nodes: CausationNode[]; currentId: string }) {
  const { t } = useTranslation();
  return (
    <section className="stack" aria-labelledby="envelope-causation">
      <h2 id="envelope-causation">{t('eventLog.causation')}</h2>
      <Branches branches={buildCausation(nodes)} currentId={currentId} />
    </section>
  );
}

function Branches({ branches, currentId }: { branches: CausationBranch[]; currentId: string }) {
  const { t } = useTranslation();
  const { search } = useLocation();
  return (
    <ul className="causation">
      {branches.map(({ envelopeId, event, status, statusReason, emittedAt, causes }) => (
        <li key={envelopeId}>
          <div className="row wrap">
            {envelopeId === currentId ? (
              <strong className="mono" aria-current="true">
                {event}
              </strong>
            ) : (
              <Link className="mono" to={{ pathname: paths.envelope(envelopeId), search }}>
                {event}
              </Link>
            )}
            <EnvelopeStatusBadge status={status} />
            <span className="muted">
              <Time iso={emittedAt} />
              {envelopeId === currentId && ` · ${t('eventLog.thisEvent')}`}
            </span>
          </div>
          {statusReason !== null && (
            <p className="muted">
              <ReasonText reason={statusReason} />
            </p>
          )}
          {causes.length > 0 && <Branches branches={causes} currentId={currentId} />}
        </li>
      ))}
    </ul>
  );
}
