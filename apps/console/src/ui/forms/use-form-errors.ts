import { App, type FormInstance } from 'antd';
import { useTranslation } from 'react-i18next';
import { getErrorMessage } from '../layout/errors.ts';
import { parseFieldErrors } from './form-errors.ts';

/** Returns a function that shows an error at the fields that it names. The rest becomes a notification. */
export function useFormErrors(form: FormInstance, fields: readonly string[]): (error: unknown) => void {
  const { t } = useTranslation();
  const { message } = App.useApp();
  return (error) => {
    const problems = parseFieldErrors(getErrorMessage(error, t), fields);
    const named = problems.flatMap(({ field, text }) =>
      field === null ? [] : [{ name: field, errors: [text] }],
    );
    const others = problems.filter(({ field }) => field === null).map(({ text }) => text);
    form.setFields(named);
    if (named[0]) form.scrollToField(named[0].name, { behavior: 'smooth', block: 'center', focus: true });
    if (others.length > 0) void message.error(others.join('; '));
  };
}
