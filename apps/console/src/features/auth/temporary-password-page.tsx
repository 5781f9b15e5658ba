import { useMutation } from '@tanstack/react-query';
import { Alert, Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, reloadSession } from '../../api.ts';
import { getErrorMessage, getProblems } from '../../ui/layout/errors.ts';
import { parseFieldErrors } from '../../ui/forms/form-errors.ts';
import { useDocumentTitle } from '../../ui/layout/page.tsx';
import { Logo } from '../shell/logo.tsx';
import { PasswordFields, type PasswordForm } from './password-fields.tsx';
import './sign-in.css';
import { SignOutButton } from './sign-out-button.tsx';

const FIELDS = ['currentPassword', 'newPassword'] as const;

/** Replaces every page until a temporary password is changed, because the service rejects all other requests. */
export default function TemporaryPasswordPage() {
  const { t } = useTranslation();
  const [form] = Form.useForm<PasswordForm>();
  useDocumentTitle(t('password.temporaryTitle'));

  const change = useMutation({
    mutationFn: async ({ currentPassword, newPassword }: PasswordForm) => {
      await client.auth.changePassword({ currentPassword, newPassword });
      await reloadSession();
    },
    onError: (error) => {
      const problems = parseFieldErrors(getProblems(error, t), FIELDS);
      form.setFields(
        problems.flatMap(({ field, text }) =>
          field === null ? [] : [{ name: field[0] as keyof PasswordForm, errors: [text] }],
        ),
      );
    },
  });
  const elsewhere =
    change.error !== null &&
    parseFieldErrors(getProblems(change.error, t), FIELDS).some(({ field }) => field === null);

  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <Logo size={36} />
        <h1>{t('password.temporaryTitle')}</h1>
        <p className="muted">{t('password.temporaryText')}</p>
        {elsewhere && <Alert type="error" showIcon title={getErrorMessage(change.error, t)} role="alert" />}
        <Form form={form} layout="vertical" requiredMark={false} onFinish={(values) => change.mutate(values)}>
          <PasswordFields />
          <Button type="primary" htmlType="submit" size="large" block loading={change.isPending}>
            {t('password.temporarySubmit')}
          </Button>
        </Form>
        <div className="hint">
          <SignOutButton label={t('shell.signOut')} />
        </div>
      </div>
    </main>
  );
}
