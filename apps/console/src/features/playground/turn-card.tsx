import type { Message, ContentItem, MessageContent } from '@platform/contracts';
import { Button, Spin } from 'antd';
import { lazy, memo, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/copy-button.tsx';
import { KindIcon } from './composer.tsx';
import { CopyAs } from './copy-as.tsx';
import { FailureCard } from './failure-card.tsx';
import { EvidenceCard, QuestionCard, ToolCard } from './execution-cards.tsx';
import { TurnFigures } from './turn-figures.tsx';
import { textOf, type TurnView } from './turn-list.ts';

const Markdown = lazy(() => import('./markdown.tsx').then((module) => ({ default: module.Markdown })));

interface TurnCardProps {
  agentId: string;
  sessionId: string;
  turn: TurnView;
  onRetry: (turnId: string, contents: ContentItem[]) => void;
  onFrames: (turnId: string) => void;
}

export const TurnCard = memo(function TurnCard({
  agentId,
  sessionId,
  turn,
  onRetry,
  onFrames,
}: TurnCardProps) {
  const { t } = useTranslation();
  const { live, answer, status } = turn;
  const running = status === 'RUNNING' || status === 'QUEUED';
  const text = textOf(turn.user);

  return (
    <article className="turn">
      <div className="said" aria-label={t('playground.you')} role="group">
        <Parts contents={turn.user} />
        {text !== '' && <p>{text}</p>}
      </div>
      <div className="answer" aria-label={t('playground.agent')} role="group" aria-busy={running}>
        {live?.evidence.map((evidence, i) => (
          <EvidenceCard key={i} evidence={evidence} />
        ))}
        {live?.tools.map((tool) => (
          <ToolCard key={tool.callId} tool={tool} />
        ))}
        {answer !== '' && (
          <Suspense fallback={<p className="plain-answer">{answer}</p>}>
            <Markdown text={answer} streaming={running} />
          </Suspense>
        )}
        {running && answer === '' && (
          <span className="row muted">
            <Spin size="small" /> {t('playground.thinking')}
          </span>
        )}
        {live?.interaction && <QuestionCard interaction={live.interaction} />}
        {status === 'CANCELLED' && <span className="badge">{t('playground.cancelled')}</span>}
        {status === 'FAILED' && <FailureCard agentId={agentId} turn={turn} onRetry={onRetry} />}
        {!running && (
          <footer className="turn-foot">
            <TurnFigures agentId={agentId} turn={turn} />
            <span className="turn-actions">
              {answer !== '' && (
                <CopyButton size="small" type="text" text={answer} label={t('playground.copyAnswer')} />
              )}
              <Button size="small" type="text" onClick={() => onFrames(turn.turnId)}>
                {t('playground.frames')}
              </Button>
              <CopyAs agentId={agentId} contents={sendable(turn.user)} sessionId={sessionId} size="small" />
            </span>
          </footer>
        )}
      </div>
    </article>
  );
});

/** What was attached to a message. Stored attachments are behind the credential, so they are named, not drawn. */
function Parts({ contents }: { contents: TurnView['user'] }) {
  const parts = contents.filter((item) => item.type !== 'text');
  if (parts.length === 0) return null;
  return (
    <ul className="parts">
      {parts.map((item, i) => (
        <li key={i}>
          {item.type === 'image_url' && item.image_url.url.startsWith('data:image/') ? (
            <img src={item.image_url.url} alt={nameOf(item)} />
          ) : (
            <span className="badge plain">
              <KindIcon type={item.type} /> {nameOf(item)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function nameOf(item: Message['contents'][number] | ContentItem): string {
  if (item.type === 'file' && typeof item.file_info.name === 'string') return item.file_info.name;
  if ('attachment' in item && item.attachment) return item.attachment.mime;
  if (item.type === 'image_url' || item.type === 'audio') {
    const url = item.type === 'image_url' ? item.image_url.url : item.audio_url.url;
    return url.startsWith('data:') ? url.slice('data:'.length, url.indexOf(';')) : url;
  }
  return item.type;
}

/** The history's contents as a request would carry them. */
function sendable(contents: (MessageContent | ContentItem)[]): ContentItem[] {
  return contents.map((item): ContentItem => {
    switch (item.type) {
      case 'text':
        return item;
      case 'image_url':
        return { type: 'image_url', image_url: item.image_url };
      case 'audio':
        return { type: 'audio', audio_url: item.audio_url };
      case 'file':
        return {
          type: 'file',
          file_info: {
            ...item.file_info,
            url: typeof item.file_info.url === 'string' ? item.file_info.url : '',
          },
        };
    }
  });
}
