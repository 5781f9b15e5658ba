import type { CausationNode } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { paths } from '../../../paths.ts';
import { Time } from '../../../ui/format/time.tsx';
import { RunStatusBadge } from '../../runs/run-status.tsx';
import { buildCausation, type CausationBranch, type CausationGroup } from './causation.ts';
import { EnvelopeStatusBadge, ReasonText } from './envelope-status.tsx';

/** The events of one first emission: each below the run that emitted it, which is below the event that started it. */
export function CausationTree({ nodes, currentId }: { nodes: CausationNode[]; currentId: string }) {
  const { t } = useTranslation();
  return (
    <section className="stack" aria-labelledby="envelope-causation">
      <h2 id="envelope-causation">{t('eventLog.causation')}</h2>
      <Groups groups={buildCausation(nodes)} currentId={currentId} />
    </section>
  );
}

interface GroupsProps {
  groups: CausationGroup[];
  currentId: string;
}

function Groups({ groups, currentId }: GroupsProps) {
  return (
    <ul className="causation">
      {groups.map(({ run, events }) =>
        run === null ? (
          events.map((event) => <Branch key={event.envelopeId} branch={event} currentId={currentId} />)
        ) : (
          <li key={run.runId}>
            <div className="row wrap">
              <Link to={paths.run(run.runId)}>{run.taskName}</Link>
              <RunStatusBadge status={run.status} />
            </div>
            <Groups groups={[{ run: null, events }]} currentId={currentId} />
          </li>
        ),
      )}
    </ul>
  );
}

interface BranchProps {
  branch: CausationBranch;
  currentId: string;
}

function Branch({ branch, currentId }: BranchProps) {
  const { t } = useTranslation();
  const { search } = useLocation();
  const { envelopeId, event, status, statusReason, emittedAt, causes } = branch;
  return (
    <li>
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
      {causes.length > 0 && <Groups groups={causes} currentId={currentId} />}
    </li>
  );
}
