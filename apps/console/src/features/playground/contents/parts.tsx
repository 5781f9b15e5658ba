import { DownloadOutlined } from '@ant-design/icons';
import type { Attachment } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../../api.ts';
import { formatBytes } from '../../../ui/format/bytes.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { useWasVisible } from '../../../ui/browser/use-was-visible.ts';
import type { AttachmentPart, Part } from './part-kind.ts';
import { ATTACHMENT_KINDS } from './part-kinds.ts';
import { getPartName } from './part-name.ts';

interface PartsProps {
  agentId: string;
  sessionId: string;
  contents: readonly Part[];
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
            <UnstoredPart item={item} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** A part that was sent from this page, or that has an external URL. */
function UnstoredPart({ item }: { item: AttachmentPart }) {
  const kind = ATTACHMENT_KINDS[item.type];
  const url = kind.getUrl(item);
  const isShown =
    kind.shown !== 'never' && url.startsWith('data:') && kind.accepts(url.slice('data:'.length));
  if (isShown) return <kind.Preview src={url} name={getPartName(item)} />;
  return (
    <span className="badge plain">
      {kind.icon} {getPartName(item)}
    </span>
  );
}

interface StoredPartProps {
  agentId: string;
  sessionId: string;
  item: AttachmentPart;
  attachment: Attachment;
}

/** A stored attachment. It requires the credential, so its bytes are fetched and shown from memory. */
function StoredPart({ agentId, sessionId, item, attachment }: StoredPartProps) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const place = useRef<HTMLSpanElement>(null);
  const seen = useWasVisible(place);
  const [wanted, setWanted] = useState(false);
  const kind = ATTACHMENT_KINDS[item.type];
  const opens = kind.shown === 'clicked';
  const shown = { visible: seen, clicked: wanted, never: false }[kind.shown];
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

  const name = getPartName(item);
  if (url !== null && shown) return <kind.Preview src={url} name={name} autoPlay />;
  const size = formatBytes(attachment.bytes, i18n.language);
  const label = t(opens ? 'attachment.play' : 'attachment.download', { name });
  return (
    <span ref={place}>
      <Button
        size="small"
        icon={kind.shown === 'never' ? <DownloadOutlined aria-hidden /> : kind.icon}
        loading={save.isPending || bytes.isFetching}
        aria-label={`${label} ${size}`}
        title={label}
        onClick={() => (opens ? setWanted(true) : save.mutate())}
      >
        {name} <span className="muted">{size}</span>
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
