import { StyleProvider } from '@ant-design/cssinjs';
import { QueryClientProvider } from '@tanstack/react-query';
import { ConfigProvider } from 'antd';
import en from 'antd/locale/en_US';
import { useMemo } from 'react';
import { createBrowserRouter, Navigate, RouterProvider } from 'react-router';
import { queryClient } from './api.ts';
import { CrashPage } from './features/shell/crash-page.tsx';
import { paths } from './paths.ts';
import { createThemeConfig, useScheme } from './theme.ts';
import { PageSpinner } from './ui/states.tsx';

const router = createBrowserRouter([
  {
    errorElement: <CrashPage />,
    hydrateFallbackElement: <PageSpinner />,
    children: [
      { path: '/sign-in', lazy: () => import('./features/auth/sign-in-page.tsx') },
      {
        path: '/',
        lazy: () => import('./features/shell/shell.tsx'),
        children: [
          { index: true, element: <Navigate to={paths.agents} replace /> },
          { path: 'agents', lazy: () => import('./features/agents/agents-page.tsx') },
          { path: 'agents/new', lazy: () => import('./features/agents/new-agent-page.tsx') },
          { path: 'agents/:agentId', lazy: () => import('./features/agents/agent-page.tsx') },
          {
            path: 'agents/:agentId/playground',
            lazy: () => import('./features/playground/playground-page.tsx'),
          },
          { path: 'jobs', lazy: () => import('./features/jobs/jobs-page.tsx') },
          { path: 'settings/models', lazy: () => import('./features/models/models-page.tsx') },
          { path: 'settings/api-keys', lazy: () => import('./features/api-keys/api-keys-page.tsx') },
          { path: 'settings/members', lazy: () => import('./features/members/members-page.tsx') },
          { path: 'settings/usage', lazy: () => import('./features/usage/usage-page.tsx') },
          { path: '*', lazy: () => import('./features/shell/not-found-page.tsx') },
        ],
      },
    ],
  },
]);

export function App() {
  const scheme = useScheme();
  const theme = useMemo(() => createThemeConfig(scheme), [scheme]);
  return (
    <StyleProvider layer>
      <ConfigProvider theme={theme} locale={en} wave={{ disabled: true }}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </ConfigProvider>
    </StyleProvider>
  );
}
