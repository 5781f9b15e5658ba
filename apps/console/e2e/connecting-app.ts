import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuthProvider } from '../../api/e2e/fixtures/oauth-provider.ts';
import { TestApp } from '../../api/e2e/harness/app.ts';

/** A service in which people connect in a browser, with a provider to connect to. */
export interface ConnectingApp {
  app: TestApp;
  oauth: OAuthProvider;
  close: () => Promise<void>;
}

export async function startConnectingApp(): Promise<ConnectingApp> {
  let app: TestApp | null = null;
  // The public address of the platform, which leads to the service.
  const front = createServer(({ url = '' }, response) => {
    response.writeHead(302, { Location: `${app?.url ?? ''}${url}` }).end();
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const publicUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const started = await TestApp.start({ env: { PLATFORM_PUBLIC_URL: publicUrl } });
  app = started;
  const oauth = await OAuthProvider.start(`${publicUrl}/api/connections/callback`);
  return {
    app: started,
    oauth,
    close: async () => {
      await started.close();
      front.closeAllConnections();
      front.close();
      await oauth.close();
    },
  };
}
