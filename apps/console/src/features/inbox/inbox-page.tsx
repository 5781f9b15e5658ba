import { QUESTION_STATUSES, type QuestionListing } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { Time } from '../../ui/format/time.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { QuestionDrawer } from './question-drawer.tsx';
import { QuestionStatusBadge } from './question-status.tsx';
import './inbox.css';

/** The questions of runs to the user. */
export function Component() {
  const { t } = useTranslation();
  const [status = 'OPEN', setStatus] = useSearchFilter('status', QUESTION_STATUSES);
  const [open, setOpen, close] = useDrawerParam('question');
  const list = useList<QuestionListing>([...keys.inbox, status], (page) =>
    client.inbox.list({ ...page, status }),
  );
  const columns = useColumns(setOpen);
  return (
    <Page title={t('inbox.title')} description={t('inbox.description')}>
      <div className="toolbar">
        <FilterSelect
          label={t('inbox.status')}
          any={t('inbox.statuses.OPEN')}
          value={status === 'OPEN' ? undefined : status}
          onChange={setStatus}
          options={QUESTION_STATUSES.filter((one) => one !== 'OPEN').map((one) => ({
            value: one,
            label: t(`inbox.statuses.${one}`),
          }))}
        />
      </div>
      <DataList
        label={t('inbox.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => setOpen(id)}
        empty={
          status === 'OPEN' ? (
            <EmptyState title={t('inbox.none')} text={t('inbox.noneText')} />
          ) : (
            <EmptyState title={t('inbox.noMatch')} />
          )
        }
      />
      {open !== undefined && <QuestionDrawer questionId={open} onClose={close} />}
    </Page>
  );
}

function useColumns(open: (questionId: string) => void): Column<QuestionListing>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'message',
      title: t('inbox.question'),
      render: ({ id, message, taskName, agent, requester }) => (
        <button type="button" className="link-button" onClick={() => open(id)}>
          <span className="primary-link inbox-message">{message}</span>
          <div className="muted truncate">
            {[taskName ?? agent?.name, taskName === null ? requester?.name : null]
              .filter(Boolean)
              .join(' · ')}
          </div>
        </button>
      ),
    },
    {
      key: 'status',
      title: t('inbox.status'),
      width: 150,
      render: (question) => <QuestionStatusBadge question={question} />,
    },
    {
      key: 'createdAt',
      title: t('inbox.asked'),
      width: 170,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
    {
      key: 'expiresAt',
      title: t('inbox.expires'),
      width: 170,
      render: ({ expiresAt }) => (expiresAt === null ? '–' : <Time iso={expiresAt} />),
    },
  ];
}
