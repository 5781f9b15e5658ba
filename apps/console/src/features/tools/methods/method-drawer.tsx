import type { Tool, ToolMethod } from '@platform/contracts';
import { Button, Drawer, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { MethodFields } from './method-fields.tsx';
import { toMethodValues, type StoredMethodValues } from './stored-method.ts';
import { useMethodMutations } from './use-method-mutations.ts';

interface MethodDrawerProps {
  tool: Tool;
  method: ToolMethod;
  onClose: () => void;
}

/** Edits or deletes a method. */
export function MethodDrawer({ tool, method, onClose }: MethodDrawerProps) {
  const { t } = useTranslation();
  const [form] = Form.useForm<StoredMethodValues>();
  const { close, leave } = useGuardedClose(() => form.isFieldsTouched(), onClose);
  const { save, remove } = useMethodMutations({ tool, method, form, onClose: leave });

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
          <Button onClick={leave}>{t('common.cancel')}</Button>
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
        initialValues={toMethodValues(method)}
        onFinish={(values) => save.mutate(values)}
      >
        <p className="muted dialog-intro">
          {tool.kind === 'mcp' ? (
            <span className="mono">{method.operationKey}</span>
          ) : (
            <>
              <span className="method-verb">{method.httpMethod}</span>{' '}
              <span className="mono">
                {method.serverUrl}
                {method.path}
              </span>
            </>
          )}
        </p>
        <MethodFields />
      </Form>
    </Drawer>
  );
}
