import { TOOL_REDIRECTS, type Tool } from '@platform/contracts';
import { App, Button, Form, Select } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { keysOf } from '../../ui/forms/field-names.ts';
import { usePageForm } from '../../ui/forms/use-page-form.ts';
import { AuthFields } from './auth/auth-fields.tsx';
import { toAuth, toAuthValues } from './auth/auth.ts';
import { TOOL_FIELDS, ToolFields, type ToolValues } from './tool-fields.tsx';

/** Changes the name, the server, the redirects, and the authentication of a tool. */
export function ToolSettings({ tool }: { tool: Tool }) {
  const [saves, setSaves] = useState(0);
  return <SettingsForm key={saves} tool={tool} onSaved={() => setSaves(saves + 1)} />;
}

const toValues = ({ name, description, serverUrl, redirects, auth }: Tool): Required<ToolValues> => ({
  name,
  description,
  serverUrl,
  redirects,
  auth: toAuthValues(auth),
});

function SettingsForm({ tool, onSaved }: { tool: Tool; onSaved: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { form, formProps, isSending } = usePageForm<ToolValues>({
    initial: toValues(tool),
    fields: TOOL_FIELDS,
    saved: false,
    onSubmit: async ({ auth: entered, ...values }, isLatest) => {
      const updated = await client.tools.update(tool.id, { ...values, auth: toAuth(entered) });
      queryClient.setQueryData(keys.tool(tool.id), updated);
      if (isLatest()) onSaved();
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      void message.success(t('toolPages.saved', { name: updated.name }));
    },
  });
  const stored = JSON.stringify(toValues(tool));
  useEffect(() => {
    // What was entered stays when somebody else changes the tool; the rest follows.
    const values = JSON.parse(stored) as Required<ToolValues>;
    const others = keysOf(values).filter((name) => !form.isFieldTouched(name));
    form.setFields(others.map((name) => ({ name, value: values[name], touched: false })));
  }, [form, stored]);
  return (
    <Form {...formProps} name="tool">
      <ToolFields isMcp={tool.kind === 'mcp'} />
      <Form.Item name="redirects" label={t('toolPages.redirects')} extra={t('toolPages.redirectsHint')}>
        <Select
          options={TOOL_REDIRECTS.map((value) => ({ value, label: t(`toolPages.redirectsTo.${value}`) }))}
        />
      </Form.Item>
      <AuthFields stored={tool.auth} />
      <Button type="primary" htmlType="submit" loading={isSending}>
        {t('common.save')}
      </Button>
    </Form>
  );
}
