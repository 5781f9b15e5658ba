import type { ConnectionPreset } from '@platform/contracts';

const OAUTH = {
  issuer: null,
  revocationEndpoint: null,
  clientAuth: 'post',
  parameters: {},
  resource: null,
  tokenFormat: 'form',
  sendsIssuer: false,
} as const;

/** What is known of the servers that many connect to. An admin adds the client id and secret. */
export const PRESETS: readonly ConnectionPreset[] = [
  {
    id: 'google',
    name: 'Google',
    clientPage: 'https://console.cloud.google.com/apis/credentials',
    origins: ['https://www.googleapis.com', 'https://gmail.googleapis.com', 'https://sheets.googleapis.com'],
    testUrl: 'https://www.googleapis.com/oauth2/v3/userinfo',
    oauth: {
      ...OAUTH,
      issuer: 'https://accounts.google.com',
      authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenEndpoint: 'https://oauth2.googleapis.com/token',
      revocationEndpoint: 'https://oauth2.googleapis.com/revoke',
      scopes: ['openid', 'email'],
      parameters: { access_type: 'offline', prompt: 'consent' },
    },
  },
  {
    id: 'microsoft',
    name: 'Microsoft',
    clientPage: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps',
    origins: ['https://graph.microsoft.com'],
    testUrl: 'https://graph.microsoft.com/v1.0/me',
    oauth: {
      ...OAUTH,
      authorizationEndpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
      tokenEndpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
      scopes: ['offline_access', 'User.Read'],
    },
  },
  {
    id: 'github',
    name: 'GitHub',
    clientPage: 'https://github.com/settings/developers',
    origins: ['https://api.github.com'],
    testUrl: 'https://api.github.com/user',
    oauth: {
      ...OAUTH,
      authorizationEndpoint: 'https://github.com/login/oauth/authorize',
      tokenEndpoint: 'https://github.com/login/oauth/access_token',
      scopes: ['read:user'],
    },
  },
  {
    id: 'slack',
    name: 'Slack',
    clientPage: 'https://api.slack.com/apps',
    origins: ['https://slack.com'],
    testUrl: 'https://slack.com/api/auth.test',
    oauth: {
      ...OAUTH,
      authorizationEndpoint: 'https://slack.com/oauth/v2_user/authorize',
      tokenEndpoint: 'https://slack.com/api/oauth.v2.user.access',
      scopes: ['users:read'],
    },
  },
  {
    id: 'notion',
    name: 'Notion',
    clientPage: 'https://www.notion.so/profile/integrations',
    origins: ['https://api.notion.com'],
    testUrl: null,
    oauth: {
      ...OAUTH,
      authorizationEndpoint: 'https://api.notion.com/v1/oauth/authorize',
      tokenEndpoint: 'https://api.notion.com/v1/oauth/token',
      clientAuth: 'basic',
      scopes: [],
      parameters: { owner: 'user' },
      tokenFormat: 'json',
    },
  },
  {
    id: 'feishu',
    name: 'Feishu',
    clientPage: 'https://open.feishu.cn/app',
    origins: ['https://open.feishu.cn'],
    testUrl: 'https://open.feishu.cn/open-apis/authen/v1/user_info',
    oauth: {
      ...OAUTH,
      authorizationEndpoint: 'https://accounts.feishu.cn/open-apis/authen/v1/authorize',
      tokenEndpoint: 'https://open.feishu.cn/open-apis/authen/v2/oauth/token',
      scopes: ['offline_access'],
      tokenFormat: 'json',
    },
  },
];
