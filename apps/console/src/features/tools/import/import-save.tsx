import { useMutation } from '@tanstack/react-query';
import { App, Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/layout/card.tsx';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { useUnsavedGuard } from '../../../ui/forms/use-unsaved-guard.ts';
import { AuthFields } from '../auth/auth-fields.tsx';
import { toAuth, toAuthValues } from '../auth/auth.ts';
import type { DocumentWorker } from '../document/document-worker.ts';
import type { DocumentOverview } from '../document/import-protocol.ts';
import { ImportOutcomeCard } from './import-outcome.tsx';
import { addMethods, importTool, MAX_METHODS, type ImportOutcome } from './import-tool.ts';
import { TOOL_FIELDS, ToolFields, type ToolValues } from '../tool-fields.tsx';

interface ImportSaveProps {
  overview: DocumentOverview;
  worker: DocumentWorker;
  chosen: ReadonlySet<string>;
  /** Media types of bodies that were chosen, by operation keys. */
  mediaTypes: ReadonlyMap<string, string>;
  /** Whether other methods or types were chosen than those at first. */
  isChanged: boolean;
}

/** Names the tool, chooses its server and authentication, and sends it with the chosen methods. */
export function ImportSave({ overview, worker, chosen, mediaTypes, isChanged }: ImportSaveProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [form] = Form.useForm<ToolValues>();
  const showErrors = useFormErrors(form, TOOL_FIELDS);
  const [isEntered, setEntered] = useState(false);
  const [outcome, setOutcome] = useState<ImportOutcome | null>(null);
  const finish = async (result: ImportOutcome) => {
    void queryClient.invalidateQueries({ queryKey: keys.tools });
    const isComplete = result.refused.length + result.rest.length === 0;
    setOutcome(isComplete ? null : result);
    if (!isComplete) return;
    void message.success(t('toolImport.saved', { name: result.tool.name }));
    await navigate(paths.tool(result.tool.id));
  };
  const save = useMutation({
    mutationFn: async ({ auth, ...tool }: ToolValues) => {
      const methods = await worker.convert(
        [...chosen].map((operationKey) => ({ operationKey, mediaType: mediaTypes.get(operationKey) })),
      );
      return importTool(client.tools, { ...tool, auth: toAuth(auth) }, methods);
    },
    onSuccess: finish,
    onError: showErrors,
  });
  useUnsavedGuard((isChanged || isEntered) && !save.isPending && !save.isSuccess);
  const retry = useMutation({
    mutationFn: ({ tool, rest, refused }: ImportOutcome) => addMethods(client.tools, tool, rest, refused),
    onSuccess: finish,
  });
  if (outcome !== null) {
    return (
      <ImportOutcomeCard
        outcome={outcome}
        isRetrying={retry.isPending}
        onRetry={() => retry.mutate(outcome)}
      />
    );
  }
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
        onValuesChange={() => setEntered(true)}
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
