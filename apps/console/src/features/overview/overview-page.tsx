import { EVENT_WINDOWS } from '@platform/contracts';
import { Segmented } from 'antd';
import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/page.tsx';
import { useSearchFilter } from '../../ui/use-search-filter.ts';
import { useIsAdmin } from '../auth/session.ts';
import { EventFiguresCards } from './event-figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LiveJobs, LiveRuns } from './live-lists.tsx';
import './overview.css';
import { TokenFigure, WorkFigures } from './work-figures.tsx';

/** What happens in the space. Every figure leads to the list behind it. */
export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [window = '24h', setWindow] = useSearchFilter('window', EVENT_WINDOWS);
  return (
    <Page
      title={t('overview.title')}
      actions={
        <Segmented
          aria-label={t('usage.window')}
          value={window}
          onChange={setWindow}
          options={EVENT_WINDOWS.map((value) => ({ value, label: t(`eventLog.periods.${value}`) }))}
        />
      }
    >
      <div className="stack-cards overview">
        <FirstSteps />
        {isAdmin ? (
          <EventFiguresCards window={window}>
            <WorkFigures />
            <TokenFigure window={window} />
          </EventFiguresCards>
        ) : (
          <div className="figures">
            <WorkFigures />
            <TokenFigure window={window} />
          </div>
        )}
        <div className="live-lists">
          <LiveRuns />
          <LiveJobs />
        </div>
      </div>
    </Page>
  );
}
