import type { Tool, ToolMethod, UpdateToolMethodRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Drawer, Form, Input, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { CodeField } from '../../../ui/code/code-field.tsx';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';
import { useConfirmDelete } from '../../../ui/forms/use-confirm-delete.ts';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';

const FIELDS = [
  'name',
  'description',
  'cache.ttlSeconds',
  'retry.attempts',
  'retry.backoffMs',
  'timeoutMs',
  'inputSchema',
  'outputSchema',
];
const NUMBERS = [
  { name: ['cache', 'ttlSeconds'], label: 'cacheSeconds', min: 0, max: 86_400 },
  { name: ['timeoutMs'], label: 'timeout', min: 1_000, max: 300_000 },
  { name: ['retry', 'attempts'], label: 'retries', min: 0, max: 5 },
  { name: ['retry', 'backoffMs'], label: 'backoff', min: 0, max: 60_000 },
] as const;
const SCHEMAS = ['inputSchema', 'outputSchema'] as const;

interface Values extends Pick<ToolMethod, 'name' | 'description' | 'cache' | 'retry' | 'timeoutMs'> {
  inputSchema: string;
  outputSchema: string;
}

interface MethodDrawerProps {
  tool: Tool;
  method: ToolMethod;
  onClose: () => void;
}

/** Edits or deletes a method. */
export function MethodDrawer({ tool, method, onClose }: MethodDrawerProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();
  const [form] = Form.useForm<Values>();
  const close = useGuardedClose(() => form.isFieldsTouched(), onClose);
  const showErrors = useFormErrors(form, FIELDS);
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.tools });

  const save = useMutation({
    mutationFn: (values: Values) => client.tools.updateMethod(tool.id, method.name, toRequest(values)),
    onSuccess: async ({ name }) => {
      // The drawer is found by the name, so it closes before the name changes.
      onClose();
      await refresh();
      void message.success(t('toolPages.saved', { name }));
    },
    onError: showErrors,
  });
  const remove = () =>
    confirm({
      title: t('toolPages.deleteTitle', { name: method.name }),
      text: t('toolPages.deleteMethodText'),
      run: async () => {
        await client.tools.deleteMethod(tool.id, method.name);
        onClose();
        await refresh();
      },
    });

  const isObject = {
    validator: (_: unknown, text: string) =>
      parseJsonObject(text) === undefined
        ? Promise.reject(new Error(t('toolPages.notAnObject')))
        : Promise.resolve(),
  };
  return (
    <Drawer
      open
      onClose={close}
      size={640}
      title={method.name}
      footer={
        <div className="row">
          <Button danger onClick={remove}>
            {t('common.delete')}
          </Button>
          <span className="grow" />
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="primary" loading={save.isPending} onClick={form.submit}>
            {t('common.save')}
          </Button>
        </div>
      }
    >
      <Form
        // The ids of its fields differ from those of the settings below the drawer.
        name="method"
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={toValues(method)}
        onFinish={(values) => save.mutate(values)}
      >
        <p className="muted dialog-intro">
          <span className="method-verb">{method.httpMethod}</span>{' '}
          <span className="mono">
            {method.serverUrl}
            {method.path}
          </span>
        </p>
        <Form.Item
          name="name"
          label={t('common.name')}
          rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        >
          <Input className="mono" maxLength={64} />
        </Form.Item>
        <Form.Item name="description" label={t('common.description')}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} />
        </Form.Item>
        <div className="form-pair">
          {NUMBERS.map(({ name, label, min, max }) => (
            <Form.Item
              key={label}
              name={[...name]}
              label={t(`toolPages.${label}`)}
              extra={label === 'cacheSeconds' ? t('toolPages.cacheHint') : undefined}
              rules={[{ required: true, message: t('common.required') }]}
            >
              <InputNumber min={min} max={max} precision={0} style={{ width: '100%' }} />
            </Form.Item>
          ))}
        </div>
        {SCHEMAS.map((name) => (
          <Form.Item key={name} name={name} label={t(`toolPages.${name}`)} rules={[isObject]}>
            <CodeField language="json" label={t(`toolPages.${name}`)} minHeight="160px" />
          </Form.Item>
        ))}
      </Form>
    </Drawer>
  );
}

function toValues({ name, description, cache, retry, timeoutMs, ...schemas }: ToolMethod): Values {
  return {
    ...{ name, description, cache, retry, timeoutMs },
    inputSchema: formatJson(schemas.inputSchema),
    outputSchema: formatJson(schemas.outputSchema),
  };
}

function toRequest({ inputSchema, outputSchema, ...values }: Values): UpdateToolMethodRequest {
  return {
    ...values,
    // The form has checked that both are objects.
    inputSchema: parseJsonObject(inputSchema) ?? {},
    outputSchema: parseJsonObject(outputSchema) ?? {},
  };
}
