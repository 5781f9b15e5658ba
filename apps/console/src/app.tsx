import { StyleProvider } from '@ant-design/cssinjs';
import { QueryClientProvider } from '@tanstack/react-query';
import { ConfigProvider } from 'antd';
import { useMemo } from 'react';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { queryClient } from './api.ts';
import { CrashPage } from './features/shell/crash-page.tsx';
import { page, type PageModule } from './features/shell/late-page.tsx';
import { useAntdLocale } from './ui/browser/use-antd-locale.ts';
import { createThemeConfig, useScheme } from './theme.ts';
import {
  loadAutomationTexts,
  loadPlaygroundTexts,
  loadSpaceTexts,
  loadToolTexts,
  loadTraceTexts,
} from './i18n.ts';
import { ANTD_ICONS, FORM_ICONS } from './ui/layout/antd-icons.tsx';
import { OVERLAY } from './ui/layout/overlay.ts';

/** Loads a page together with the texts of events, tasks, and applications. */
function automation(load: () => Promise<PageModule>): () => Promise<PageModule> {
  return page(async () => {
    const [loaded] = await Promise.all([load(), loadAutomationTexts()]);
    return loaded;
  });
}

/** Loads a page together with the texts of tools and knowledge. */
function tools(load: () => Promise<PageModule>): () => Promise<PageModule> {
  return page(async () => {
    const [loaded] = await Promise.all([load(), loadToolTexts()]);
    return loaded;
  });
}

/** Loads a page together with the texts of traces. */
function traces(load: () => Promise<PageModule>): () => Promise<PageModule> {
  return page(async () => {
    const [loaded] = await Promise.all([load(), loadTraceTexts()]);
    return loaded;
  });
}

/** Loads a page together with the texts of the settings of a space. */
function space(load: () => Promise<PageModule>): () => Promise<PageModule> {
  return page(async () => {
    const [loaded] = await Promise.all([load(), loadSpaceTexts()]);
    return loaded;
  });
}

/** Loads a page together with the texts of the playground. */
function playground(load: () => Promise<PageModule>): () => Promise<PageModule> {
  return page(async () => {
    const [loaded] = await Promise.all([load(), loadPlaygroundTexts()]);
    return loaded;
  });
}

const router = createBrowserRouter([
  {
    errorElement: <CrashPage />,
    // As long as nothing is rendered, the frame in index.html is seen.
    hydrateFallbackElement: <></>,
    children: [
      { path: '/sign-in', lazy: page(() => import('./features/auth/sign-in-page.tsx')) },
      { path: '/oauth/consent', lazy: space(() => import('./features/oauth/consent-page.tsx')) },
      {
        path: '/',
        lazy: page(() => import('./features/shell/shell.tsx')),
        children: [
          {
            // What fails in a page leaves the navigation in place.
            errorElement: <CrashPage />,
            children: [
              { index: true, lazy: page(() => import('./features/overview/overview-page.tsx')) },
              { path: 'agents', lazy: page(() => import('./features/agents/agents-page.tsx')) },
              { path: 'agents/new', lazy: page(() => import('./features/agents/new-agent-page.tsx')) },
              { path: 'agents/:agentId', lazy: page(() => import('./features/agents/agent-page.tsx')) },
              {
                path: 'agents/:agentId/playground',
                lazy: playground(() => import('./features/playground/playground-page.tsx')),
              },
              {
                path: 'agents/:agentId/compare',
                lazy: playground(() => import('./features/playground/comparison/compare-page.tsx')),
              },
              { path: 'traces', lazy: traces(() => import('./features/traces/traces-page.tsx')) },
              { path: 'traces/:turnId', lazy: traces(() => import('./features/traces/trace-page.tsx')) },
              { path: 'jobs', lazy: page(() => import('./features/jobs/jobs-page.tsx')) },
              {
                path: 'events/catalog',
                lazy: automation(() => import('./features/events/catalog/catalog-page.tsx')),
              },
              {
                path: 'events/subscriptions',
                lazy: automation(() => import('./features/events/subscriptions/subscriptions-page.tsx')),
              },
              {
                path: 'events/log',
                lazy: automation(() => import('./features/events/log/log-page.tsx')),
                children: [
                  {
                    path: ':envelopeId',
                    lazy: automation(() => import('./features/events/log/envelope-drawer.tsx')),
                    handle: OVERLAY,
                  },
                ],
              },
              { path: 'tasks', lazy: automation(() => import('./features/tasks/tasks-page.tsx')) },
              { path: 'tasks/new', lazy: automation(() => import('./features/tasks/new-task-page.tsx')) },
              { path: 'tasks/:taskId', lazy: automation(() => import('./features/tasks/task-page.tsx')) },
              { path: 'inbox', lazy: automation(() => import('./features/inbox/inbox-page.tsx')) },
              { path: 'runs', lazy: automation(() => import('./features/runs/runs-page.tsx')) },
              {
                path: 'runs/failures',
                lazy: automation(() => import('./features/failures/failures-page.tsx')),
              },
              { path: 'runs/:runId', lazy: automation(() => import('./features/runs/run-page.tsx')) },
              {
                path: 'applications',
                lazy: automation(() => import('./features/applications/applications-page.tsx')),
              },
              {
                path: 'applications/:identifier',
                lazy: automation(() => import('./features/applications/application-page.tsx')),
              },
              {
                path: 'applications/:identifier/tables/:table',
                lazy: automation(() => import('./features/applications/rows/rows-page.tsx')),
              },
              {
                path: 'connections',
                lazy: tools(() => import('./features/connections/connections-page.tsx')),
              },
              { path: 'tools', lazy: tools(() => import('./features/tools/tools-page.tsx')) },
              { path: 'tools/new', lazy: tools(() => import('./features/tools/new-tool-page.tsx')) },
              { path: 'tools/import', lazy: tools(() => import('./features/tools/import/import-page.tsx')) },
              {
                path: 'tools/:toolId/import',
                lazy: tools(() => import('./features/tools/import/reimport-page.tsx')),
              },
              { path: 'tools/:toolId', lazy: tools(() => import('./features/tools/tool-page.tsx')) },
              { path: 'knowledge', lazy: tools(() => import('./features/knowledge/knowledge-page.tsx')) },
              { path: 'settings/models', lazy: space(() => import('./features/models/models-page.tsx')) },
              {
                path: 'settings/api-keys',
                lazy: space(() => import('./features/api-keys/api-keys-page.tsx')),
              },
              { path: 'settings/mcp', lazy: space(() => import('./features/mcp/mcp-page.tsx')) },
              { path: 'settings/members', lazy: space(() => import('./features/members/members-page.tsx')) },
              {
                path: 'settings/webhooks',
                lazy: space(() => import('./features/webhooks/webhooks-page.tsx')),
              },
              {
                path: 'settings/notifications',
                lazy: space(() => import('./features/notifications/notifications-page.tsx')),
              },
              { path: 'settings/audit', lazy: space(() => import('./features/audit/audit-page.tsx')) },
              { path: 'settings/usage', lazy: space(() => import('./features/usage/usage-page.tsx')) },
              { path: '*', lazy: page(() => import('./features/shell/not-found-page.tsx')) },
            ],
          },
        ],
      },
    ],
  },
]);

/** What is wrong with a field is read out when it gets the focus. */
const FORM = {
  scrollToFirstError: { behavior: 'smooth', block: 'center', focus: true },
  ...FORM_ICONS,
} as const;

export function App() {
  const scheme = useScheme();
  const locale = useAntdLocale();
  const theme = useMemo(() => createThemeConfig(scheme), [scheme]);
  return (
    <StyleProvider layer>
      <ConfigProvider
        theme={theme}
        locale={locale}
        wave={{ disabled: true }}
        button={{ autoInsertSpace: false }}
        form={FORM}
        {...ANTD_ICONS}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </ConfigProvider>
    </StyleProvider>
  );
}
