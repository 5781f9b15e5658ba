import { LockOutlined } from '@ant-design/icons';
import type { CreateToolRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useFormErrors } from '../../ui/use-form-errors.ts';
import { useIsAdmin } from '../auth/session.ts';
import { AuthFields } from './auth-fields.tsx';
import { toAuth, type AuthValues } from './auth.ts';
import { NewMethodFields } from './new-method-fields.tsx';
import { buildMethod, type MethodValues } from './new-method.ts';
import { ToolFields } from './tool-fields.tsx';
import './tools.css';

const FIELDS = ['name', 'description', 'serverUrl'];

interface Values extends Pick<CreateToolRequest, 'name' | 'description' | 'serverUrl'> {
  auth: AuthValues;
  method: MethodValues;
}

/** Creates a tool without a document, with its first method. */
export function Component() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const [form] = Form.useForm<Values>();
  const showErrors = useFormErrors(form, FIELDS);
  const save = useMutation({
    mutationFn: ({ auth, method, ...tool }: Values) =>
      client.tools.create({ ...tool, auth: toAuth(auth), methods: [buildMethod(method)] }),
    onSuccess: async ({ id, name }) => {
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      void message.success(t('toolPages.saved', { name }));
      await navigate(paths.tool(id));
    },
    onError: showErrors,
  });
  return (
    <Page
      title={t('toolNew.title')}
      description={t('toolNew.description')}
      parent={{ to: paths.tools, label: t('tools.title') }}
    >
      {isAdmin ? (
        <Form
          name="tool"
          form={form}
          layout="vertical"
          requiredMark={false}
          initialValues={{ name: '', description: '', serverUrl: '', auth: { type: 'none' } }}
          onFinish={(values) => save.mutate(values)}
        >
          <div className="stack-cards">
            <Card title={t('toolNew.connection')}>
              <ToolFields />
              <AuthFields />
            </Card>
            <Card title={t('toolNew.firstMethod')}>
              <NewMethodFields />
            </Card>
            <div>
              <Button type="primary" htmlType="submit" loading={save.isPending}>
                {t('toolNew.submit')}
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
