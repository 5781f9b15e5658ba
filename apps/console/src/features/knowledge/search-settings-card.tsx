import { SettingOutlined } from '@ant-design/icons';
import type { KnowledgeEmbedding, KnowledgeSettings } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Progress } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { Time } from '../../ui/format/time.tsx';
import { Card } from '../../ui/layout/card.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { ErrorState } from '../../ui/layout/states.tsx';
import { useIsAdmin } from '../auth/session.ts';

const SearchSettingsDialog = lazyPart(() =>
  import('./search-settings-dialog.tsx').then((module) => ({ default: module.SearchSettingsDialog })),
);

const WATCH_MS = 1_500;
/** After a failure, the service tries again by itself, which can take as long as the failure lasts. */
const FAILED_MS = 30_000;

/** How documents are searched, with the progress of their vectors. */
export function SearchSettingsCard() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [isEditing, setIsEditing] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: keys.knowledgeSettings,
    queryFn: () => client.knowledge.getSettings(),
    refetchInterval: ({ state }) => refreshAfter(state.data?.embedding ?? null),
  });
  return (
    <Card title={t('knowledge.settings.title')} text={t('knowledge.settings.text')}>
      {data === undefined && error !== null && <ErrorState error={error} retry={() => void refetch()} />}
      {data && (
        <div className="stack">
          {data.embedding === null ? (
            <p>{t('knowledge.settings.wordsOnly')}</p>
          ) : (
            <Embedding embedding={data.embedding} serving={data.serving} />
          )}
          {data.rerankModel !== null && <p>{t('knowledge.settings.reranks', { model: data.rerankModel })}</p>}
          {data.rewritesQuestions && <p>{t('knowledge.settings.rewrites')}</p>}
          {isAdmin && (
            <div>
              <Button icon={<SettingOutlined aria-hidden />} onClick={() => setIsEditing(true)}>
                {t('knowledge.settings.change')}
              </Button>
            </div>
          )}
          {isEditing && (
            <Suspense>
              <SearchSettingsDialog settings={data} onClose={() => setIsEditing(false)} />
            </Suspense>
          )}
        </div>
      )}
    </Card>
  );
}

interface EmbeddingProps {
  embedding: KnowledgeEmbedding;
  serving: KnowledgeEmbedding | null;
}

function Embedding({ embedding, serving }: EmbeddingProps) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const { model, passages, embedded, skipped, error, retryAt, knowsMeaning } = embedding;
  const done = embedded + skipped;
  return (
    <>
      <p>{t('knowledge.settings.meaning', { model })}</p>
      {!knowsMeaning && <p className="muted">{t('knowledge.settings.offline')}</p>}
      {done < passages && (
        <Progress
          percent={(done / passages) * 100}
          showInfo={false}
          size="small"
          aria-label={t('knowledge.settings.progressLabel')}
        />
      )}
      <p className="muted">
        {t('knowledge.settings.progress', { done: number.format(done), total: number.format(passages) })}
        {skipped > 0 && ` ${t('knowledge.settings.skipped', { count: skipped })}`}
      </p>
      {serving !== null && serving.id !== embedding.id && (
        <p className="muted">{t('knowledge.settings.serving', { model: serving.model })}</p>
      )}
      {error !== null && (
        <p className="danger-text" role="status">
          {error} {retryAt !== null && <Time iso={retryAt} />}
        </p>
      )}
    </>
  );
}

function refreshAfter(embedding: KnowledgeSettings['embedding']): number | false {
  if (embedding === null) return false;
  const { status, embedded, skipped, passages, error } = embedding;
  if (status !== 'BUILDING' && embedded + skipped >= passages) return false;
  return error === null ? WATCH_MS : FAILED_MS;
}
