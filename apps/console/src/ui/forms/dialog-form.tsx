import { useMutation } from '@tanstack/react-query';
import { Form, Modal, type FormProps } from 'antd';
import { useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NewSecret, type NewSecretProps } from '../code/new-secret.tsx';
import { useGuardedClose } from './use-guarded-close.ts';
import { useFormErrors } from './use-form-errors.ts';

interface DialogFormProps<Values extends object, Result> {
  title: string;
  submitText: string;
  /** The fields that an error of the service can refer to. The first one receives the focus. */
  fields: readonly [string, ...string[]];
  initialValues?: FormProps<Values>['initialValues'];
  requiredMark?: FormProps['requiredMark'];
  width?: number;
  save: (values: Values) => Promise<Result>;
  /** The dialog stays busy until the returned promise is settled. */
  onSaved: (result: Result, values: Values) => unknown;
  onClose: () => void;
  /** Replaces the form after saving. The dialog then closes only on request, because the secret cannot be read again. */
  secret?: (NewSecretProps & { title: string }) | undefined;
  children: ReactNode;
}

/** A dialog with a form: saves it, shows the errors of the service at their fields, and then shows a secret, if any. */
export function DialogForm<Values extends object, Result>(props: DialogFormProps<Values, Result>) {
  const { title, submitText, fields, save, onSaved, onClose, secret } = props;
  const { t } = useTranslation();
  const [form] = Form.useForm<Values>();
  const { close, leave, release } = useGuardedClose(() => form.isFieldsTouched(), onClose);
  // Enter submits as well, and faster than the button can be disabled.
  const sending = useRef(false);
  const mutation = useMutation({
    mutationFn: save,
    onSuccess: (result, values) => {
      release();
      return onSaved(result, values);
    },
    onError: useFormErrors(form, fields),
    onSettled: () => {
      sending.current = false;
    },
  });

  const submit = (values: Values) => {
    if (sending.current) return;
    sending.current = true;
    mutation.mutate(values);
  };

  return (
    <Modal
      open
      title={secret?.title ?? title}
      okText={secret ? t('common.done') : submitText}
      cancelText={t('common.cancel')}
      mask={{ closable: !secret }}
      keyboard={!secret}
      closable={!secret}
      // Who chooses Cancel has decided already.
      cancelButtonProps={secret ? { style: { display: 'none' } } : { onClick: leave }}
      onOk={secret ? onClose : form.submit}
      onCancel={close}
      confirmLoading={mutation.isPending}
      destroyOnHidden
      afterOpenChange={(opened) => opened && form.focusField(fields[0])}
      width={props.width ?? 460}
    >
      {secret ? (
        <NewSecret {...secret} />
      ) : (
        <Form<Values>
          form={form}
          layout="vertical"
          requiredMark={props.requiredMark ?? false}
          preserve={false}
          initialValues={props.initialValues}
          onFinish={submit}
        >
          {props.children}
        </Form>
      )}
    </Modal>
  );
}
