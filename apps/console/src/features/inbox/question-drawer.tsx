import type { Question } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { JsonView } from '../../ui/code/json-view.tsx';
import { AskedCallView } from '../approvals/asked-call.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useGuardedClose } from '../../ui/forms/use-guarded-close.ts';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { AnswerForm } from './answer-form.tsx';
import { QuestionStatusBadge } from './question-status.tsx';

/** A question, with the form of its answer as long as it is open. */
export function QuestionDrawer({ questionId, onClose }: { questionId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const question = useQuery({
    queryKey: keys.question(questionId),
    queryFn: () => client.inbox.get(questionId),
  });
  const [isFilled, setFilled] = useState(false);
  const { close } = useGuardedClose(() => isFilled && question.data?.status === 'OPEN', onClose);
  return (
    <Drawer
      open
      onClose={close}
      size={560}
      title={question.data?.taskName ?? question.data?.agent?.name ?? t('inbox.question')}
    >
      <Loaded query={question}>
        {(loaded) => <QuestionDetails question={loaded} onFilled={() => setFilled(true)} />}
      </Loaded>
    </Drawer>
  );
}

interface QuestionDetailsProps {
  question: Question;
  /** Called when something of an answer was entered. */
  onFilled: () => void;
}

function QuestionDetails({ question, onFilled }: QuestionDetailsProps) {
  const { t } = useTranslation();
  const isOpen = question.status === 'OPEN';
  return (
    <div className="stack">
      <p className="inbox-text">{question.message}</p>
      {isOpen && question.addressed && <AnswerForm question={question} onFilled={onFilled} />}
      {isOpen && !question.addressed && <p className="muted">{t('inbox.others')}</p>}
      {!isOpen && <Answer question={question} />}
      <Facts>
        {question.runId !== null && (
          <Fact name={t('inbox.run')}>
            <Link to={paths.run(question.runId)}>{question.taskName}</Link>
          </Fact>
        )}
        {question.agent !== null && <Fact name={t('approvals.agent')}>{question.agent.name}</Fact>}
        {question.requester !== null && (
          <Fact name={t('approvals.requester')}>{question.requester.name}</Fact>
        )}
        <Fact name={t('inbox.asked')}>
          <Time iso={question.createdAt} />
        </Fact>
        {question.expiresAt !== null && (
          <Fact name={t('inbox.expires')}>
            <Time iso={question.expiresAt} />
          </Fact>
        )}
      </Facts>
    </div>
  );
}

function Answer({ question }: { question: Question }) {
  const { t } = useTranslation();
  const { answeredBy, answeredAt, fields, values, note, call, edited } = question;
  return (
    <section className="stack" aria-label={t('inbox.answer')}>
      <div className="row wrap">
        <QuestionStatusBadge question={question} />
        {answeredAt !== null && (
          <span className="muted">
            {answeredBy?.name} · <Time iso={answeredAt} />
          </span>
        )}
      </div>
      {call !== null && <AskedCallView call={call} />}
      {edited !== null && (
        <>
          <span className="muted">{t('approvals.edited')}</span>
          <JsonView value={edited} label={t('approvals.edited')} />
        </>
      )}
      {values !== null && (
        <Facts>
          {fields
            .filter(({ key }) => Object.hasOwn(values, key))
            .map(({ key, label }) => (
              <Fact key={key} name={label}>
                <span className="inbox-text">{String(values[key])}</span>
              </Fact>
            ))}
          {note !== null && (
            <Fact name={t('inbox.note')}>
              <span className="inbox-text">{note}</span>
            </Fact>
          )}
        </Facts>
      )}
    </section>
  );
}
