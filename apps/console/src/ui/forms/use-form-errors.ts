import { App, type FormInstance } from 'antd';
import { useTranslation } from 'react-i18next';
import { getProblems, translateCode } from '../layout/errors.ts';
import { parseFieldErrors } from './form-errors.ts';

/** The names of the fields, or a function that finds the one that an error names among those that the form shows. */
export type FormFields =
  readonly string[] | ((named: string, shown: readonly string[]) => string | undefined);

/** Returns a function that shows an error at the fields that it names. The rest becomes a notification. */
export function useFormErrors(form: FormInstance, fields: FormFields): (error: unknown) => void {
  const { t } = useTranslation();
  const { message } = App.useApp();
  return (error) => {
    const shown = form.getFieldsError().map(({ name }) => name.join('.'));
    const find = typeof fields === 'function' ? (written: string) => fields(written, shown) : fields;
    const problems = parseFieldErrors(getProblems(error, t), find);
    // The same field can have several.
    const byField = Map.groupBy(problems, ({ field }) => field?.join('.'));
    const named = [...byField.values()].flatMap((of) => {
      const name = of[0]?.field ?? null;
      return name === null ? [] : [{ name, errors: of.map(({ text }) => text) }];
    });
    const others = problems.filter(({ field }) => field === null).map(({ text }) => text);
    form.setFields(named);
    for (const { name } of named) unfold(name);
    if (named[0]) form.scrollToField(named[0].name, { behavior: 'smooth', block: 'center', focus: true });
    if (others.length > 0) void message.error(translateCode(error, others.join('; '), t));
  };
}

/** Opens what a field is folded in. */
export function unfold(name: readonly (string | number)[]): void {
  document.getElementById(name.join('_'))?.closest('details')?.setAttribute('open', '');
}
