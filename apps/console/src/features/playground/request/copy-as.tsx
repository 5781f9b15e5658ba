import type { ButtonProps } from 'antd';
import { useTranslation } from 'react-i18next';
import { CopyCode } from '../../../ui/code/copy-code.tsx';
import type { Call } from './call.ts';
import { formatCurl, formatTypescript } from './request-code.ts';

interface CopyAsProps {
  agentId: string;
  call: Call;
  size?: ButtonProps['size'];
}

/** Shows a message as an API request that can be copied. */
export function CopyAs({ agentId, call, size }: CopyAsProps) {
  const { t } = useTranslation();
  const request = { baseUrl: window.location.origin, agentId, call };
  return (
    <CopyCode
      forms={{ cURL: () => formatCurl(request), TypeScript: () => formatTypescript(request) }}
      title={(form) => t('code.dialog', { form })}
      hint={t('code.hint')}
      {...(size !== undefined && { size })}
    />
  );
}
