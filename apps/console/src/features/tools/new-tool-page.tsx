import { LockOutlined } from '@ant-design/icons';
import { App, Button, Form, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/layout/card.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { usePageForm } from '../../ui/forms/use-page-form.ts';
import { useIsAdmin } from '../auth/session.ts';
import { AuthFields } from './auth/auth-fields.tsx';
import { toAuth } from './auth/auth.ts';
import { NewMethodFields } from './methods/new-method-fields.tsx';
import { buildMethod, METHOD_FIELDS, NEW_METHOD, type NewMethodValues } from './methods/new-method.ts';
import { TOOL_FIELDS, ToolFields, type ToolValues } from './tool-fields.tsx';
import './tools.css';

type Values = ToolValues & NewMethodValues;

const NEW_TOOL: Values = {
  name: '',
  description: '',
  serverUrl: '',
  auth: { type: 'none' },
  methods: [NEW_METHOD],
};

/** Creates a tool without a document: an HTTP API with its first method, or an MCP server. */
export function Component() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const [kind, setKind] = useState<'http' | 'mcp'>('http');
  const { formProps, isSending } = usePageForm<Values>({
    initial: NEW_TOOL,
    fields: [...TOOL_FIELDS, ...METHOD_FIELDS],
    saved: false,
    onSubmit: async ({ auth, methods: [method], ...tool }) => {
      const { id, name } = await client.tools.create({
        ...tool,
        kind,
        auth: toAuth(auth),
        ...(kind === 'http' && { methods: [buildMethod(method)] }),
      });
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      void message.success(t('toolPages.saved', { name }));
      await navigate(kind === 'mcp' ? paths.reimportTool(id) : paths.tool(id));
    },
  });
  return (
    <Page
      title={t('toolNew.title')}
      description={t('toolNew.description')}
      parent={{ to: paths.tools, label: t('tools.title') }}
    >
      {isAdmin ? (
        <Form {...formProps} name="tool">
          <div className="stack-cards">
            <Card title={t('toolNew.connection')}>
              <Form.Item label={t('toolPages.kind')}>
                <Radio.Group
                  aria-label={t('toolPages.kind')}
                  optionType="button"
                  value={kind}
                  onChange={({ target }) => setKind(target.value as typeof kind)}
                  options={(['http', 'mcp'] as const).map((value) => ({
                    value,
                    label: t(`toolPages.kinds.${value}`),
                  }))}
                />
              </Form.Item>
              <ToolFields isMcp={kind === 'mcp'} />
              <AuthFields />
            </Card>
            {kind === 'http' && (
              <Card title={t('toolNew.firstMethod')}>
                <NewMethodFields />
              </Card>
            )}
            <div>
              <Button type="primary" htmlType="submit" loading={isSending}>
                {t(kind === 'mcp' ? 'toolMcp.create' : 'toolNew.submit')}
              </Button>
            </div>
          </div>
        </Form>
      ) : (
        <EmptyState icon={<LockOutlined aria-hidden />} title={t('states.forbidden')} />
      )}
    </Page>
  );
}
