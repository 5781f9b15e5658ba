import type { Job, JobStatus } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { useList } from '../../ui/lists/use-list.ts';
import { allAgentsQuery } from '../agents/agents-query.ts';
import { isActive } from './job-state.tsx';

const REFRESH_MS = 2_000;

/** The jobs with a status, or all, and the names of their agents. */
export function useJobs(status: JobStatus | undefined) {
  const { t } = useTranslation();
  const agents = useQuery(allAgentsQuery);
  const list = useList<Job>(
    [...keys.jobs, { status }],
    (page) => client.jobs.list({ ...page, ...(status !== undefined && { status }) }),
    { refetchWhile: { everyMs: REFRESH_MS, test: isActive } },
  );
  const agentName = ({ agentId }: Job) =>
    agents.isPending ? '…' : (agents.data?.find(({ id }) => id === agentId)?.name ?? t('jobs.deletedAgent'));
  return { list, agentName };
}
