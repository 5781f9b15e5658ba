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
    // The same field can have several.
    const byField = Map.groupBy(problems, ({ field }) => field?.join('.'));
    const named = [...byField.values()].flatMap((of) => {
      const name = of[0]?.field ?? null;
      return name === null ? [] : [{ name, errors: of.map(({ text }) => text) }];
    });
    const others = problems.filter(({ field }) => field === null).map(({ text }) => text);
    form.setFields(named);
    if (named[0]) form.scrollToField(named[0].name, { behavior: 'smooth', block: 'center', focus: true });
    if (others.length > 0) void message.error(others.join('; '));
  };
}
