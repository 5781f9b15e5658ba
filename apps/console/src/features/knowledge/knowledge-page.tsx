import { DeleteOutlined, FileTextOutlined } from '@ant-design/icons';
import type { KnowledgeDocument } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../../ui/format/bytes.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useIsAdmin } from '../auth/session.ts';
import { DocumentStatus } from './document-status.tsx';
import { SearchCard } from './search-card.tsx';
import { SearchSettingsCard } from './search-settings-card.tsx';
import { SourcesCard } from './sources-card.tsx';
import { UploadZone } from './upload-zone.tsx';
import './knowledge.css';
import { useDocuments } from './use-documents.ts';

const TextDialog = lazyPart(() =>
  import('./text-dialog.tsx').then((module) => ({ default: module.TextDialog })),
);
const DocumentDrawer = lazyPart(() =>
  import('./document-drawer.tsx').then((module) => ({ default: module.DocumentDrawer })),
);

export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const { list, remove } = useDocuments();
  const [opened, open, close] = useDrawerParam('document');
  const [isWriting, setIsWriting] = useState(false);
  const columns = useDocumentColumns(open, isAdmin ? remove : null);

  return (
    <Page
      title={t('knowledge.title')}
      description={t('knowledge.description')}
      actions={
        isAdmin && (
          <Button icon={<FileTextOutlined aria-hidden />} onClick={() => setIsWriting(true)}>
            {t('knowledge.addText')}
          </Button>
        )
      }
    >
      <div className="stack-cards">
        {isAdmin && <UploadZone />}
        <DataList
          label={t('knowledge.title')}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              title={t('knowledge.none')}
              text={t(isAdmin ? 'knowledge.noneText' : 'knowledge.noneMemberText')}
            />
          }
        />
        <SourcesCard />
        {list.items.length > 0 && <SearchCard />}
        <SearchSettingsCard />
      </div>
      {isWriting && (
        <Suspense>
          <TextDialog onClose={() => setIsWriting(false)} />
        </Suspense>
      )}
      {opened !== undefined && (
        <Suspense>
          <DocumentDrawer documentId={opened} onClose={close} />
        </Suspense>
      )}
    </Page>
  );
}

/** `remove`: null for those who may not. */
function useDocumentColumns(
  open: (documentId: string) => void,
  remove: ((document: KnowledgeDocument) => void) | null,
): Column<KnowledgeDocument>[] {
  const { t, i18n } = useTranslation();
  return [
    {
      key: 'title',
      title: t('knowledge.document'),
      sortBy: ({ title }) => title,
      render: ({ id, title, status, error }) => (
        <>
          <button type="button" className="link-button primary-link" onClick={() => open(id)}>
            {title}
          </button>
          {status === 'FAILED' && error !== null && <p className="danger-text document-error">{error}</p>}
        </>
      ),
    },
    {
      key: 'status',
      title: t('knowledge.status'),
      width: 125,
      sortBy: ({ status }) => t(`knowledge.statuses.${status}`),
      render: (document) => <DocumentStatus status={document.status} />,
    },
    {
      key: 'size',
      title: t('knowledge.size'),
      width: 120,
      sortBy: ({ bytes }) => bytes,
      descendingFirst: true,
      render: ({ bytes }) => formatBytes(bytes, i18n.language),
    },
    {
      key: 'chunks',
      title: t('knowledge.passages'),
      width: 115,
      sortBy: ({ chunks }) => chunks,
      descendingFirst: true,
      render: ({ chunks }) => chunks,
    },
    {
      key: 'created',
      title: t('knowledge.added'),
      width: 140,
      sortBy: ({ createdAt }) => createdAt,
      descendingFirst: true,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
    ...(remove !== null
      ? [
          {
            key: 'actions',
            title: '',
            width: 64,
            render: (document: KnowledgeDocument) => (
              <Button
                type="text"
                danger
                icon={<DeleteOutlined aria-hidden />}
                aria-label={t('knowledge.deleteNamed', { title: document.title })}
                title={t('common.delete')}
                onClick={() => remove(document)}
              />
            ),
          },
        ]
      : []),
  ];
}
