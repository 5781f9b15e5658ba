import type { Tool } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Drawer, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';
import { NewMethodFields } from './new-method-fields.tsx';
import { buildMethod, METHOD_FIELDS, NEW_METHOD, type NewMethodValues } from './new-method.ts';

interface NewMethodDrawerProps {
  tool: Tool;
  onClose: () => void;
}

/** Adds a method to a tool by hand. */
export function NewMethodDrawer({ tool, onClose }: NewMethodDrawerProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<NewMethodValues>();
  const showErrors = useFormErrors(form, METHOD_FIELDS);
  const { close, leave } = useGuardedClose(() => form.isFieldsTouched(), onClose);
  const save = useMutation({
    mutationFn: ({ methods: [method] }: NewMethodValues) =>
      client.tools.addMethods(tool.id, [buildMethod(method)]),
    onSuccess: (changed, { methods: [method] }) => {
      queryClient.setQueryData(keys.tool(tool.id), changed);
      void queryClient.invalidateQueries({ queryKey: keys.tools });
      void message.success(t('toolPages.saved', { name: method.name }));
      leave();
    },
    onError: showErrors,
  });
  return (
    <Drawer
      open
      onClose={close}
      size={640}
      title={t('toolNew.addMethod')}
      footer={
        <div className="row">
          <span className="grow" />
          <Button onClick={leave}>{t('common.cancel')}</Button>
          <Button type="primary" loading={save.isPending} onClick={form.submit}>
            {t('common.save')}
          </Button>
        </div>
      }
    >
      <Form
        name="new-method"
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ methods: [NEW_METHOD] } satisfies NewMethodValues}
        onFinish={(values) => save.mutate(values)}
      >
        <NewMethodFields />
      </Form>
    </Drawer>
  );
}
