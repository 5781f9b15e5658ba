import type { CreateToolRequest, UpdateToolRequest } from '@platform/contracts';
import type { ImportedServer } from '@platform/openapi-import';
import { AutoComplete, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { listFieldNames } from '../../ui/forms/field-names.ts';
import type { AuthValues } from './auth/auth-kind.ts';

/** The values of a tool that forms edit. */
export interface ToolValues extends Pick<
  CreateToolRequest,
  'name' | 'description' | 'serverUrl' | 'redirects'
> {
  auth: AuthValues;
}

/** Names of the form fields as they appear in error messages of the service. */
export const TOOL_FIELDS = listFieldNames<keyof UpdateToolRequest>({
  name: true,
  description: true,
  serverUrl: true,
  redirects: true,
  idempotency: null,
  auth: null,
});

/** The fields that every tool has. `servers` are offered as its server. */
export function ToolFields({ servers = [], isMcp = false }: { servers?: ImportedServer[]; isMcp?: boolean }) {
  const { t } = useTranslation();
  const required = [{ required: true, whitespace: true, message: t('common.required') }];
  return (
    <>
      <Form.Item name="name" label={t('common.name')} rules={required}>
        <Input maxLength={120} />
      </Form.Item>
      <Form.Item name="description" label={t('common.description')}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={10_000} />
      </Form.Item>
      <Form.Item
        name="serverUrl"
        label={t('toolPages.server')}
        extra={t(isMcp ? 'toolMcp.serverHint' : 'toolPages.serverHint')}
        rules={required}
      >
        <AutoComplete
          className="mono"
          placeholder={isMcp ? 'https://mcp.example.com/mcp' : 'https://api.example.com/v1'}
          options={servers.map(({ url, description }) => ({
            value: url,
            label: description === '' ? url : `${url} · ${description}`,
          }))}
        />
      </Form.Item>
    </>
  );
}
