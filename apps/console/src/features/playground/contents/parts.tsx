import { DownloadOutlined } from '@ant-design/icons';
import type { Attachment, ContentItem, MessageContent } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../../api.ts';
import { formatBytes } from '../../../ui/format/bytes.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { useWasVisible } from '../../../ui/browser/use-was-visible.ts';
import { KindIcon } from '../composer.tsx';
import { getPartName } from './part-name.ts';

interface PartsProps {
  agentId: string;
  sessionId: string;
  contents: (MessageContent | ContentItem)[];
}

/** The attachments of a message: images, audio players, and downloads. */
export function Parts({ agentId, sessionId, contents }: PartsProps) {
  const parts = contents.filter((item) => item.type !== 'text');
  if (parts.length === 0) return null;
  return (
    <ul className="parts">
      {parts.map((item, i) => (
        <li key={i}>
          {'attachment' in item && item.attachment ? (
            <StoredPart agentId={agentId} sessionId={sessionId} item={item} attachment={item.attachment} />
          ) : (
            <SentPart item={item} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** A part that was sent from this page, or that has an external URL. */
function SentPart({ item }: { item: Exclude<PartsProps['contents'][number], { type: 'text' }> }) {
  if (item.type === 'image_url' && item.image_url.url.startsWith('data:image/')) {
    return <img src={item.image_url.url} alt={getPartName(item)} />;
  }
  if (item.type === 'audio' && item.audio_url.url.startsWith('data:audio/')) {
    return <audio controls src={item.audio_url.url} aria-label={getPartName(item)} />;
  }
  return (
    <span className="badge plain">
      <KindIcon type={item.type} /> {getPartName(item)}
    </span>
  );
}

interface StoredPartProps {
  agentId: string;
  sessionId: string;
  item: Exclude<MessageContent, { type: 'text' }>;
  attachment: Attachment;
}

/** A stored attachment. It requires the credential, so its bytes are fetched and shown from memory. */
function StoredPart({ agentId, sessionId, item, attachment }: StoredPartProps) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const place = useRef<HTMLSpanElement>(null);
  const seen = useWasVisible(place);
  const [wanted, setWanted] = useState(false);
  const shown = item.type === 'image_url' ? seen : item.type === 'audio' && wanted;
  const fetchBytes = () => client.agents.attachment(agentId, sessionId, attachment.id);
  const bytes = useQuery({
    queryKey: keys.attachment(agentId, sessionId, attachment.id),
    queryFn: fetchBytes,
    enabled: shown,
    staleTime: Infinity,
  });
  const url = useObjectUrl(bytes.data);
  const save = useMutation({
    mutationFn: async () => download(bytes.data ?? (await fetchBytes()), getPartName(item)),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });

  if (url !== null && item.type === 'image_url') return <img src={url} alt={getPartName(item)} />;
  if (url !== null && item.type === 'audio')
    return <audio controls autoPlay src={url} aria-label={getPartName(item)} />;
  const label = t(item.type === 'audio' ? 'attachment.play' : 'attachment.download', {
    name: getPartName(item),
  });
  return (
    <span ref={place}>
      <Button
        size="small"
        icon={item.type === 'file' ? <DownloadOutlined aria-hidden /> : <KindIcon type={item.type} />}
        loading={save.isPending || bytes.isFetching}
        aria-label={label}
        title={label}
        onClick={() => (item.type === 'audio' ? setWanted(true) : save.mutate())}
      >
        {getPartName(item)} <span className="muted">{formatBytes(attachment.bytes, i18n.language)}</span>
      </Button>
    </span>
  );
}

function useObjectUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
