import type { KnowledgeDocumentDetail, KnowledgeEncoding, KnowledgeMediaType } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { formatBytes } from '../../ui/format/bytes.ts';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { toWebAddress } from './evidence-documents.tsx';
import { DocumentStatus } from './document-status.tsx';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const TYPE_NAMES = {
  'text/plain': 'text',
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/pdf': 'pdf',
  [`${OFFICE}.wordprocessingml.document`]: 'docx',
  [`${OFFICE}.spreadsheetml.sheet`]: 'xlsx',
  [`${OFFICE}.presentationml.presentation`]: 'pptx',
  'application/epub+zip': 'epub',
  'application/rtf': 'rtf',
} as const satisfies Record<KnowledgeMediaType, string>;
const ENCODING_NAMES: Record<KnowledgeEncoding, string> = {
  gb18030: 'GB18030',
  big5: 'Big5',
  shift_jis: 'Shift JIS',
  'windows-1252': 'Windows-1252',
};

interface DocumentDrawerProps {
  documentId: string;
  onClose: () => void;
}

/** A document with the beginning of its text. */
export function DocumentDrawer({ documentId, onClose }: DocumentDrawerProps) {
  const { t } = useTranslation();
  const document = useQuery({
    queryKey: keys.knowledgeDocument(documentId),
    queryFn: () => client.knowledge.getDocument(documentId),
  });
  return (
    <Drawer open onClose={onClose} size={640} title={document.data?.title ?? t('knowledge.document')}>
      <Loaded query={document}>{(loaded) => <Details document={loaded} />}</Loaded>
    </Drawer>
  );
}

function Details({ document }: { document: KnowledgeDocumentDetail }) {
  const { t, i18n } = useTranslation();
  const { status, error, fileName, url, mediaType, bytes, chunks, encoding, createdAt, excerpt } = document;
  const address = toWebAddress(url ?? undefined);
  return (
    <div className="stack">
      <Facts>
        <Fact name={t('knowledge.status')}>
          <DocumentStatus status={status} />
        </Fact>
        {fileName !== null && <Fact name={t('knowledge.file')}>{fileName}</Fact>}
        {address !== null && (
          <Fact name={t('knowledge.sources.address')}>
            <a className="source-address" href={address} target="_blank" rel="noreferrer">
              {address}
            </a>
          </Fact>
        )}
        <Fact name={t('knowledge.type')}>{t(`knowledge.types.${TYPE_NAMES[mediaType]}`)}</Fact>
        {encoding !== null && <Fact name={t('knowledge.encoding')}>{ENCODING_NAMES[encoding]}</Fact>}
        <Fact name={t('knowledge.size')}>{formatBytes(bytes, i18n.language)}</Fact>
        <Fact name={t('knowledge.passages')}>{chunks}</Fact>
        <Fact name={t('knowledge.added')}>
          <Time iso={createdAt} />
        </Fact>
      </Facts>
      {error !== null && (
        <section className="error-box" role="alert">
          <strong>{t('knowledge.failed')}</strong>
          <p>{error}</p>
        </section>
      )}
      {excerpt !== '' && (
        <>
          <h3 className="document-part">{t('knowledge.excerpt')}</h3>
          <p className="document-excerpt">{excerpt.replace(/\n{3,}/g, '\n\n')}</p>
        </>
      )}
    </div>
  );
}
