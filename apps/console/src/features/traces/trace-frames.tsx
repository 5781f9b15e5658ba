import type { Trace } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { keys } from '../../api.ts';
import { CopyButton } from '../../ui/code/copy-button.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { EmptyState, ErrorState } from '../../ui/layout/states.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { FrameList, readFrames } from '../playground/frames/frame-list.tsx';

/** The recorded frames of a segment of the turn. */
export function TraceFrames({ trace: { agentId, turnId, segments, status } }: { trace: Trace }) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useSearchFilter('segment');
  const chosen = segments.find(({ segment }) => String(segment) === wanted) ?? segments.at(-1);
  const recorded = useQuery({
    queryKey: [...keys.turn(agentId, turnId), 'frames', chosen?.segment, chosen?.ended, status],
    queryFn: ({ signal }) => readFrames(agentId, turnId, chosen?.segment, signal),
    enabled: chosen?.ended === true,
    staleTime: Infinity,
  });
  if (chosen === undefined) return <EmptyState title={t('frames.none')} text={t('frames.noneText')} />;
  if (!chosen.ended) return <EmptyState title={t('traces.framesLater')} />;
  if (recorded.isError && recorded.data === undefined)
    return <ErrorState error={recorded.error} retry={() => void recorded.refetch()} />;
  const frames = recorded.data ?? [];
  const dropped = (frames[0]?.seq ?? 1) - 1;
  return (
    <div className="frames">
      <div className="toolbar">
        {segments.length > 1 && (
          <FilterSelect
            label={t('traces.segment')}
            any={t('traces.lastSegment')}
            value={wanted}
            onChange={setWanted}
            options={segments.map(({ segment, origin }) => ({
              value: String(segment),
              label: t('traces.segmentNamed', { number: segment, origin: t(`traces.origins.${origin}`) }),
            }))}
          />
        )}
        <span className="muted grow">{t('frames.count', { count: frames.length })}</span>
        <CopyButton text={() => JSON.stringify(frames, null, 2)} label={t('frames.copy')} />
      </div>
      {dropped > 0 && <p className="muted">{t('frames.dropped', { count: dropped })}</p>}
      {recorded.isPending ? <span className="skeleton-bar" /> : <FrameList frames={frames} />}
    </div>
  );
}
