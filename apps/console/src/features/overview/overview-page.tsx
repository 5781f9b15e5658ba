import { EVENT_WINDOWS, USAGE_WINDOWS } from '@platform/contracts';
import { Segmented } from 'antd';
import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/layout/page.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { useIsAdmin } from '../auth/session.ts';
import { Attention } from './attention.tsx';
import { EventFiguresCards } from './event-figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LiveJobs, LiveRuns } from './live-lists.tsx';
import './overview.css';
import { UsageChart } from './usage-chart.tsx';
import { TokenFigure, WorkFigures } from './work-figures.tsx';

/** What happens in the space. Every figure leads to the list behind it. */
export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [window = '24h', setWindow] = useSearchFilter('window', EVENT_WINDOWS);
  const usageWindow = USAGE_WINDOWS.find((one) => one === window) ?? '24h';
  const lists = (
    <div className="live-lists">
      <LiveRuns />
      <LiveJobs />
    </div>
  );
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
        <Attention />
        {isAdmin ? (
          <EventFiguresCards
            window={window}
            figures={
              <>
                <WorkFigures />
                <TokenFigure window={window} />
              </>
            }
            chart={<UsageChart window={usageWindow} />}
          >
            {lists}
          </EventFiguresCards>
        ) : (
          <>
            <div className="figures">
              <WorkFigures />
              <TokenFigure window={window} />
            </div>
            <UsageChart window={usageWindow} />
            {lists}
          </>
        )}
      </div>
    </Page>
  );
}
