import type { CreateModelRequest, Model } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Drawer, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { keysOf, listFieldNames } from '../../ui/forms/field-names.ts';
import { useFormErrors } from '../../ui/forms/use-form-errors.ts';
import { useGuardedClose } from '../../ui/forms/use-guarded-close.ts';
import { CapabilityFields, KindField, LimitFields, PRICES, PriceFields } from './model-fields.tsx';
import './models.css';
import { PROVIDERS } from './providers/providers.ts';

const FIELDS = listFieldNames<keyof CreateModelRequest>({
  name: true,
  provider: null,
  kind: true,
  baseUrl: true,
  apiKey: true,
  upstreamModel: true,
  contextWindow: true,
  maxOutputTokens: true,
  price: keysOf(PRICES),
  capabilities: null,
});

/** Long enough to read what the server said. */
const FAILURE_SECONDS = 15;

/** Creates or edits a model. API keys are write-only: an empty field keeps the stored key. */
export function ModelDrawer({ model, onClose }: { model: Model | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<CreateModelRequest>();
  const showErrors = useFormErrors(form, FIELDS);
  const provider = PROVIDERS[model?.provider ?? 'openai-compatible'];
  const kind = Form.useWatch('kind', form) ?? model?.kind ?? 'chat';
  const { close, leave, release } = useGuardedClose(() => form.isFieldsTouched(), onClose);

  /** A wrong key or name would be noticed only when an agent fails. */
  const tell = async (id: string, name: string) => {
    const result = await client.models.test(id).catch(() => null);
    if (result?.ok) void message.success(t('models.savedWorks', { name, ms: result.latencyMs }));
    else if (result !== null)
      void message.warning(t('models.savedFails', { name, reason: result.message }), FAILURE_SECONDS);
  };
  const save = useMutation({
    mutationFn: ({ apiKey, ...values }: CreateModelRequest) => {
      const request = { ...values, ...(apiKey && { apiKey }) };
      return model === null
        ? client.models.create({ provider: provider.kind, ...request })
        : client.models.update(model.id, request);
    },
    onSuccess: async ({ id, name }) => {
      release();
      await queryClient.invalidateQueries({ queryKey: keys.models });
      // Agents contain the status of their model.
      void queryClient.invalidateQueries({ queryKey: keys.agents });
      void message.success(t('models.saved', { name }));
      leave();
      void tell(id, name);
    },
    onError: showErrors,
  });

  return (
    <Drawer
      open
      onClose={close}
      afterOpenChange={(opened) =>
        opened && model === null && document.getElementById(provider.firstField)?.focus()
      }
      size={480}
      title={model === null ? t('models.create') : model.name}
      footer={
        <div className="row" style={{ justifyContent: 'flex-end' }}>
          <Button onClick={leave}>{t('common.cancel')}</Button>
          <Button type="primary" loading={save.isPending} onClick={form.submit}>
            {t('common.save')}
          </Button>
        </div>
      }
    >
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={model ?? provider.initial}
        onFinish={(values) => save.mutate(values)}
      >
        <provider.Fields model={model} />
        <KindField />
        {kind === 'chat' && <LimitFields />}
        <PriceFields />
        {kind === 'chat' && <CapabilityFields />}
      </Form>
    </Drawer>
  );
}
