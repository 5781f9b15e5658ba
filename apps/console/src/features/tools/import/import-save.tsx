import { useMutation } from '@tanstack/react-query';
import { App, Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/layout/card.tsx';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { AuthFields } from '../auth/auth-fields.tsx';
import { toAuth, toAuthValues } from '../auth/auth.ts';
import type { DocumentWorker } from '../document/document-worker.ts';
import type { DocumentOverview } from '../document/import-protocol.ts';
import { importTool, MAX_METHODS, PartialImportError } from './import-tool.ts';
import { TOOL_FIELDS, ToolFields, type ToolValues } from '../tool-fields.tsx';

interface ImportSaveProps {
  overview: DocumentOverview;
  worker: DocumentWorker;
  chosen: ReadonlySet<string>;
}

/** Names the tool, chooses its server and authentication, and sends it with the chosen methods. */
export function ImportSave({ overview, worker, chosen }: ImportSaveProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [form] = Form.useForm<ToolValues>();
  const showErrors = useFormErrors(form, TOOL_FIELDS);
  const save = useMutation({
    mutationFn: async ({ auth, ...tool }: ToolValues) => {
      const methods = await worker.convert([...chosen]);
      return importTool(client.tools, { ...tool, auth: toAuth(auth) }, methods);
    },
    onSuccess: async ({ id, name }) => {
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      void message.success(t('toolImport.saved', { name }));
      await navigate(paths.tool(id));
    },
    onError: (error) => {
      if (!(error instanceof PartialImportError)) {
        showErrors(error);
        return;
      }
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      const { tool, cause } = error;
      const detail = { done: tool.methodCount, total: chosen.size, message: getErrorMessage(cause, t) };
      void message.error(t('toolImport.partly', detail), 15);
      void navigate(paths.tool(tool.id));
    },
  });
  const initial: ToolValues = {
    name: overview.title.slice(0, 120),
    description: '',
    serverUrl: overview.servers[0]?.url ?? '',
    auth: toAuthValues(overview.auth ?? { type: 'none' }),
  };
  return (
    <Card title={t('toolImport.save')}>
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={initial}
        onFinish={(values) => save.mutate(values)}
      >
        <ToolFields servers={overview.servers} />
        <AuthFields />
        <Button
          type="primary"
          htmlType="submit"
          loading={save.isPending}
          disabled={chosen.size === 0 || chosen.size > MAX_METHODS}
        >
          {t('toolImport.saveSubmit', { count: chosen.size })}
        </Button>
      </Form>
    </Card>
  );
}
