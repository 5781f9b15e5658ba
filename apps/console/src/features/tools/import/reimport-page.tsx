import { LockOutlined } from '@ant-design/icons';
import type { Tool } from '@platform/contracts';
import type { MethodComparison } from '@platform/openapi-import';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { paths } from '../../../paths.ts';
import { lazyPart } from '../../../ui/layout/lazy-part.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { EmptyState, ErrorState, PageSpinner } from '../../../ui/layout/states.tsx';
import { useIsAdmin } from '../../auth/session.ts';
import type { DocumentWorker } from '../document/document-worker.ts';
import { RefusedMethods } from './import-outcome.tsx';
import { ImportReport } from './import-report.tsx';
import type { RefusedMethod } from './import-tool.ts';
import { ReadStep, useDocumentReader } from './read-step.tsx';
import { ReimportChanges } from './reimport-changes.tsx';
import { toolQuery } from '../tools-query.ts';
import '../tools.css';

const McpImport = lazyPart(() =>
  import('../mcp/mcp-import.tsx').then((module) => ({ default: module.McpImport })),
);

export function Component() {
  const { t } = useTranslation();
  const { toolId = '' } = useParams();
  const isAdmin = useIsAdmin();
  const tool = useQuery(toolQuery(toolId));
  if (tool.isPending) return <PageSpinner />;
  if (tool.data === undefined) return <ErrorState error={tool.error} retry={() => void tool.refetch()} />;
  if (isAdmin && tool.data.kind === 'mcp') {
    return (
      <Suspense fallback={<PageSpinner />}>
        <McpImport key={toolId} tool={tool.data} />
      </Suspense>
    );
  }
  if (!isAdmin || tool.data.kind !== 'http') {
    return (
      <ToolPage tool={tool.data}>
        <EmptyState icon={<LockOutlined aria-hidden />} title={t('states.forbidden')} />
      </ToolPage>
    );
  }
  return <Reimport key={toolId} tool={tool.data} />;
}

/** Compares a tool with a newer document, and merges what was decided. */
function Reimport({ tool }: { tool: Tool }) {
  const reader = useDocumentReader();
  const [refused, setRefused] = useState<RefusedMethod[]>([]);
  if (reader.document === null) {
    return (
      <ToolPage tool={tool}>
        <ReadStep reader={reader} ways={['file', 'text', 'url']} />
      </ToolPage>
    );
  }
  const { worker, overview } = reader.document;
  return (
    <ToolPage tool={tool}>
      <ImportReport overview={overview} onClose={reader.close} />
      <RefusedMethods refused={refused} />
      <Comparison tool={tool} worker={worker} onRefused={setRefused} />
    </ToolPage>
  );
}

interface ComparisonProps {
  tool: Tool;
  worker: DocumentWorker;
  onRefused: (refused: RefusedMethod[]) => void;
}

/** Compares the tool as it was when the document was read, until the user wants it to be compared again. */
function Comparison({ tool, worker, onRefused }: ComparisonProps) {
  const [compared, setCompared] = useState(tool);
  return (
    <Compared
      key={compared.updatedAt}
      tool={compared}
      worker={worker}
      isOutdated={compared.updatedAt !== tool.updatedAt}
      onCompareAgain={() => setCompared(tool)}
      onApplied={(changed, refused) => {
        setCompared(changed);
        onRefused(refused);
      }}
    />
  );
}

interface ComparedProps {
  tool: Tool;
  worker: DocumentWorker;
  isOutdated: boolean;
  onCompareAgain: () => void;
  onApplied: (changed: Tool, refused: RefusedMethod[]) => void;
}

function Compared({ tool, worker, ...changes }: ComparedProps) {
  const [comparisons, setComparisons] = useState<MethodComparison[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isCurrent = true;
    worker.compare(tool.methods).then(
      (found) => isCurrent && setComparisons(found),
      (reason: unknown) => isCurrent && setError(reason),
    );
    return () => {
      isCurrent = false;
    };
  }, [worker, tool]);
  if (error !== null) return <ErrorState error={error} />;
  if (comparisons === null) return <PageSpinner />;
  return <ReimportChanges tool={tool} worker={worker} comparisons={comparisons} {...changes} />;
}

function ToolPage({ tool: { id, name }, children }: { tool: Tool; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Page
      title={t('toolReimport.title', { name })}
      description={t('toolReimport.description')}
      parent={{ to: paths.tool(id), label: name }}
    >
      <div className="stack-cards">{children}</div>
    </Page>
  );
}
