import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { configure, render } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import { App, ConfigProvider } from 'antd';
import type { ReactNode } from 'react';
import { loadAutomationTexts, loadPlaygroundTexts, loadToolTexts, startI18n } from '../src/i18n.ts';

// A busy machine may take seconds to draw a dialog.
configure({ asyncUtilTimeout: 20_000 });

/**
 * Renders the element with the providers of the console. Without the styles of antd: jsdom compares each of their rules with
 * each element whose name a query looks at, which takes seconds.
 */
export async function renderInApp(element: ReactNode): Promise<UserEvent> {
  await startI18n();
  await loadAutomationTexts();
  await loadPlaygroundTexts();
  await loadToolTexts();
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <ConfigProvider theme={{ zeroRuntime: true }}>
        <App>{element}</App>
      </ConfigProvider>
    </QueryClientProvider>,
  );
  return userEvent.setup();
}
