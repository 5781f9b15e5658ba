import type { AuthorizeConnectionRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { paths } from '../../paths.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';

/** Leaves the console to sign in at a provider, which leads back to it. */
export function useStartSignIn() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  return useMutation({
    mutationFn: (request: AuthorizeConnectionRequest) =>
      client.connections.authorize({ returnPath: paths.connections(), ...request }),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
}
