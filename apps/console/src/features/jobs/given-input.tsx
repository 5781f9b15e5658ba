import type { GivenJobInput, Job } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { CopyButton } from '../../ui/code/copy-button.tsx';
import { JsonView } from '../../ui/code/json-view.tsx';
import { ErrorState } from '../../ui/layout/states.tsx';
import { Parts } from '../playground/contents/parts.tsx';
import { getText } from '../playground/turns/turn-list.ts';

/** The message of a job, with its attachments and the values for the prompt. */
export function GivenInput({ job }: { job: Job }) {
  const { t } = useTranslation();
  const given = useQuery({
    // It stays as it is, so its key is none of those that a change of the job outdates.
    queryKey: ['job-input', job.id],
    queryFn: async () => (await client.jobs.getWithInput(job.id)).input ?? null,
    staleTime: Infinity,
  });
  const text = getText(given.data?.contents ?? []);
  return (
    <section className="stack" aria-label={t('jobs.message')}>
      <header className="row">
        <h2 className="grow">{t('jobs.message')}</h2>
        {text !== '' && (
          <CopyButton
            size="small"
            type="text"
            text={text}
            label={t('common.copyNamed', { name: t('jobs.message') })}
          />
        )}
      </header>
      {given.isPending && <span className="skeleton-bar" />}
      {given.isError && <ErrorState error={given.error} retry={() => void given.refetch()} />}
      {given.data === null && <p className="muted">{t('jobs.messageDeleted')}</p>}
      {text !== '' && (
        <p className="job-message" tabIndex={0} role="group" aria-label={t('jobs.message')}>
          {text}
        </p>
      )}
      {given.data && <Beside input={given.data} job={job} />}
    </section>
  );
}

/** What a job was given beside texts. */
function Beside({ input, job }: { input: GivenJobInput; job: Job }) {
  const { t } = useTranslation();
  const { contents, variables, isShortened } = input;
  return (
    <>
      <Parts agentId={job.agentId} sessionId={job.sessionId} contents={contents} />
      {Object.keys(variables).length > 0 && (
        <>
          <h3>{t('jobs.variables')}</h3>
          <JsonView value={variables} label={t('jobs.variables')} />
        </>
      )}
      {isShortened && <p className="muted">{t('jobs.messageShortened')}</p>}
    </>
  );
}
