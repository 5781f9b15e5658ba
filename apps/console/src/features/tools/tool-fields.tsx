import type { ImportedServer } from '@platform/openapi-import';
import { AutoComplete, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';

/** The fields that every tool has. `servers` are offered as its server. */
export function ToolFields({ servers = [] }: { servers?: ImportedServer[] }) {
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
        extra={t('toolPages.serverHint')}
        rules={required}
      >
        <AutoComplete
          className="mono"
          placeholder="https://api.example.com/v1"
          options={servers.map(({ url, description }) => ({
            value: url,
            label: description === '' ? url : `${url} · ${description}`,
          }))}
        />
      </Form.Item>
    </>
  );
}
