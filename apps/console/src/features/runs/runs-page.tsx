import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { Button } from 'antd';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { RunsList } from './runs-list.tsx';

/** The runs of all tasks. */
export function Component() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Page
      title={t('runs.title')}
      description={t('runs.description')}
      actions={<Button onClick={() => void navigate(paths.failures())}>{t('failures.title')}</Button>}
    >
      <RunsList
        queryKey={keys.runs}
        fetchPage={(query) => client.runs.list(query)}
        empty={
          <EmptyState title={t('runs.none')} text={t('runs.noneText')}>
            <Button onClick={() => void navigate(paths.tasks)}>{t('tasks.title')}</Button>
          </EmptyState>
        }
      />
    </Page>
  );
}
