import { Form, type FormInstance, type FormProps } from 'antd';
import { useRef, useState } from 'react';
import { unfold, useFormErrors, type FormFields } from './use-form-errors.ts';
import { useSaveKey } from './use-save-key.ts';
import { useUnsavedGuard } from './use-unsaved-guard.ts';

interface PageFormOptions<Values> {
  initial: Values;
  /** The fields that an error of the service can refer to. */
  fields: FormFields;
  /** Whether the current values are saved. */
  saved: boolean;
  /**
   * Resolves with false if the values were not saved, which the user knows. `isLatest`: whether nothing was entered since; otherwise
   * the form must not be drawn anew.
   */
  onSubmit: (values: Values, isLatest: () => boolean) => Promise<unknown>;
}

interface PageForm<Values> {
  form: FormInstance<Values>;
  formProps: FormProps<Values>;
  /** Whether something was entered that is not saved. */
  isDirty: boolean;
  isSending: boolean;
  /** Shows an error of the service at the fields that it names. */
  showErrors: (error: unknown) => void;
  /** Returns what is entered, saved or not; null, and shows why, if it is not valid. */
  readValues: () => Promise<Values | null>;
}

/**
 * A form that is a page: Ctrl+S or Cmd+S saves it, errors of the service appear at their fields, and leaving the page with
 * unsaved input asks first.
 */
export function usePageForm<Values extends object>({
  initial,
  fields,
  saved,
  onSubmit,
}: PageFormOptions<Values>): PageForm<Values> {
  const [form] = Form.useForm<Values>();
  const [changed, setChanged] = useState(false);
  const [isSending, setSending] = useState(false);
  const sending = useRef(false);
  const entries = useRef(0);
  const showErrors = useFormErrors(form, fields);
  const isDirty = changed && !saved;
  useUnsavedGuard(isDirty && !isSending);
  useSaveKey(form.submit);

  const submit = async () => {
    // Keys submit as well, and faster than the button can be disabled.
    if (sending.current) return;
    sending.current = true;
    setSending(true);
    const sent = entries.current;
    const isLatest = () => entries.current === sent;
    try {
      const isSaved = (await onSubmit(form.getFieldsValue(true) as Values, isLatest)) !== false;
      if (isSaved && isLatest()) setChanged(false);
    } catch (error) {
      showErrors(error);
    } finally {
      sending.current = false;
      setSending(false);
    }
  };

  const readValues = async () => {
    try {
      await form.validateFields();
      return form.getFieldsValue(true) as Values;
    } catch (error) {
      const { errorFields: wrong = [] } = error as { errorFields?: { name: (string | number)[] }[] };
      wrong.forEach(({ name }) => unfold(name));
      if (wrong[0]) form.scrollToField(wrong[0].name, { behavior: 'smooth', block: 'center', focus: true });
      return null;
    }
  };

  return {
    form,
    showErrors,
    readValues,
    formProps: {
      form,
      layout: 'vertical',
      requiredMark: false,
      initialValues: initial,
      scrollToFirstError: { behavior: 'smooth', block: 'center', focus: true },
      onValuesChange: () => {
        entries.current += 1;
        setChanged(true);
      },
      onFinish: () => void submit(),
      onFinishFailed: ({ errorFields }) => errorFields.forEach(({ name }) => unfold(name)),
    },
    isDirty,
    isSending,
  };
}
