import { DeleteOutlined, ImportOutlined, PlusOutlined } from '@ant-design/icons';
import type { Tool } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { forgetInput } from '../../ui/browser/unsaved-input.ts';
import { Card } from '../../ui/layout/card.tsx';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loaded, PageSpinner } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useIsAdmin } from '../auth/session.ts';
import { AddToAgent } from './agents/add-to-agent.tsx';
import { UsedBy } from './agents/used-by.tsx';
import { AuthBadge } from './auth/auth-badge.tsx';
import { MethodDrawer } from './methods/method-drawer.tsx';
import { MethodsTable } from './methods/methods-table.tsx';
import { WaitingMethods } from './mcp/waiting-methods.tsx';
import { ToolSettings } from './tool-settings.tsx';
import { toolQuery } from './tools-query.ts';
import { TryDrawer } from './trial/try-drawer.tsx';
import './tools.css';

const NewMethodDrawer = lazyPart(() =>
  import('./methods/new-method-drawer.tsx').then((module) => ({ default: module.NewMethodDrawer })),
);
const SpeechCards = lazyPart(() =>
  import('./speech/speech-cards.tsx').then((module) => ({ default: module.SpeechCards })),
);

export function Component() {
  const { toolId = '' } = useParams();
  const tool = useQuery(toolQuery(toolId));
  return <Loaded query={tool}>{(loaded) => <Details key={toolId} tool={loaded} />}</Loaded>;
}

function Details({ tool }: { tool: Tool }) {
  const { t } = useTranslation();
  const isEditable = useIsAdmin() && isOwn(tool);
  const [edited, edit, closeMethod] = useDrawerParam('method');
  const [tried, openTrial, closeTrial] = useDrawerParam('try');
  const [added, add, closeNewMethod] = useDrawerParam('add');
  const find = (name: string | undefined) => tool.methods.find((method) => method.name === name);
  const method = find(edited);
  const callable = find(tried);

  return (
    <Page
      title={tool.name}
      description={tool.description === '' ? undefined : tool.description}
      parent={{ to: paths.tools, label: t('tools.title') }}
      actions={
        <>
          {isEditable && <ToolActions tool={tool} />}
          <AddToAgent tool={tool} />
        </>
      }
    >
      <div className="stack-cards">
        {tool.kind === 'mcp' && <WaitingMethods tool={tool} isEditable={isEditable} />}
        {tool.kind !== 'speech' && <ToolFacts tool={tool} />}
        {tool.kind === 'speech' && (
          <Suspense fallback={<PageSpinner />}>
            <SpeechCards />
          </Suspense>
        )}
        <Card title={`${t('toolPages.methods')} (${tool.methods.length})`}>
          <MethodsTable tool={tool} isEditable={isEditable} onEdit={edit} onTry={openTrial} />
          {isEditable && tool.kind === 'http' && (
            <Button className="add-method" icon={<PlusOutlined aria-hidden />} onClick={() => add('method')}>
              {t('toolNew.addMethod')}
            </Button>
          )}
        </Card>
        <UsedBy tool={tool} />
        {isEditable && (
          <Card title={t('toolPages.settings')}>
            <ToolSettings tool={tool} />
          </Card>
        )}
      </div>
      {method !== undefined && isEditable && (
        <MethodDrawer key={edited} tool={tool} method={method} onClose={closeMethod} />
      )}
      {added !== undefined && isEditable && tool.kind === 'http' && (
        <Suspense>
          <NewMethodDrawer tool={tool} onClose={closeNewMethod} />
        </Suspense>
      )}
      {callable !== undefined && <TryDrawer key={tried} tool={tool} method={callable} onClose={closeTrial} />}
    </Page>
  );
}

/** Whether it belongs to the space, and not to the platform. */
const isOwn = ({ kind }: Tool) => kind === 'http' || kind === 'mcp';

function ToolFacts({ tool }: { tool: Tool }) {
  const { t } = useTranslation();
  return (
    <section className="card">
      <div className="card-body">
        <Facts>
          <Fact name={t('toolPages.kind')}>{t(`toolPages.kinds.${tool.kind}`)}</Fact>
          {tool.serverUrl !== '' && (
            <Fact name={t('toolPages.server')}>
              <span className="mono">{tool.serverUrl}</span>
            </Fact>
          )}
          {isOwn(tool) && (
            <Fact name={t('toolPages.auth')}>
              <AuthBadge auth={tool.auth} />
            </Fact>
          )}
          {tool.createdAt !== null && (
            <Fact name={t('toolPages.created')}>
              <Time iso={tool.createdAt} />
            </Fact>
          )}
        </Facts>
      </div>
    </section>
  );
}

function ToolActions({ tool }: { tool: Tool }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const confirm = useConfirmDelete();
  const remove = () =>
    confirm({
      title: t('toolPages.deleteTitle', { name: tool.name }),
      text: t('toolPages.deleteText'),
      run: async () => {
        await client.tools.delete(tool.id);
        forgetInput();
        await navigate(paths.tools);
        queryClient.removeQueries({ queryKey: keys.tool(tool.id) });
        await queryClient.invalidateQueries({ queryKey: keys.tools });
      },
    });

  return (
    <>
      <Button
        icon={<ImportOutlined aria-hidden />}
        onClick={() => void navigate(paths.reimportTool(tool.id))}
      >
        {t(tool.kind === 'mcp' ? 'toolMcp.open' : 'toolReimport.open')}
      </Button>
      <Button icon={<DeleteOutlined aria-hidden />} onClick={remove}>
        {t('common.delete')}
      </Button>
    </>
  );
}
