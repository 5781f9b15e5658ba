import type { Tool, UpdateToolRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useFormErrors } from '../../ui/forms/use-form-errors.ts';
import { AuthFields } from './auth/auth-fields.tsx';
import type { AuthValues } from './auth/auth-kind.ts';
import { toAuth, toAuthValues } from './auth/auth.ts';
import { ToolFields } from './tool-fields.tsx';

const FIELDS = ['name', 'description', 'serverUrl'];

interface Values extends Pick<UpdateToolRequest, 'name' | 'description' | 'serverUrl'> {
  auth: AuthValues;
}

/** Changes the name, the server, and the authentication of a tool. */
export function ToolSettings({ tool }: { tool: Tool }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  const showErrors = useFormErrors(form, FIELDS);
  const save = useMutation({
    mutationFn: ({ auth, ...values }: Values) =>
      client.tools.update(tool.id, { ...values, auth: toAuth(auth) }),
    onSuccess: async (updated) => {
      queryClient.setQueryData(keys.tool(tool.id), updated);
      await queryClient.invalidateQueries({ queryKey: keys.tools });
      void message.success(t('toolPages.saved', { name: updated.name }));
    },
    onError: showErrors,
  });
  const { name, description, serverUrl, auth } = tool;
  return (
    <Form
      name="tool"
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={{ name, description, serverUrl, auth: toAuthValues(auth) }}
      onFinish={(values) => save.mutate(values)}
    >
      <ToolFields />
      <AuthFields stored={auth} />
      <Button type="primary" htmlType="submit" loading={save.isPending}>
        {t('common.save')}
      </Button>
    </Form>
  );
}
