import type { LoginRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Button, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router';
import { client, setSession } from '../../api.ts';
import { getErrorMessage, getProblems, isUnauthorized } from '../../ui/layout/errors.ts';
import { parseFieldErrors } from '../../ui/forms/form-errors.ts';
import { useDocumentTitle } from '../../ui/layout/page.tsx';
import { Logo } from '../shell/logo.tsx';
import { useMaybeSession } from './session.ts';
import './sign-in.css';

export function Component() {
  const { t } = useTranslation();
  const [search] = useSearchParams();
  const session = useMaybeSession();
  const [form] = Form.useForm<LoginRequest>();
  useDocumentTitle(t('signIn.title'));

  const signIn = useMutation({
    mutationFn: (credentials: LoginRequest) => client.auth.login(credentials),
    onSuccess: setSession,
    onError: (error) => {
      const problems = isUnauthorized(error)
        ? []
        : parseFieldErrors(getProblems(error, t), ['email', 'password']);
      form.setFields(
        problems.flatMap(({ field, text }) =>
          field === null ? [] : [{ name: field[0] as keyof LoginRequest, errors: [text] }],
        ),
      );
      form.focusField('password');
    },
  });

  if (session.isPending) return null;
  if (session.data) return <Navigate to={parseLocalPath(search.get('to'))} replace />;

  const elsewhere =
    signIn.error !== null &&
    !isUnauthorized(signIn.error) &&
    parseFieldErrors(getProblems(signIn.error, t), ['email', 'password']).some(({ field }) => field === null);

  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <Logo size={36} />
        <h1>{t('signIn.title')}</h1>
        <p className="muted">{t('signIn.subtitle')}</p>
        {elsewhere && (
          <p className="error-box" role="alert">
            {getErrorMessage(signIn.error, t)}
          </p>
        )}
        <Form form={form} layout="vertical" requiredMark={false} onFinish={(values) => signIn.mutate(values)}>
          <Form.Item
            name="email"
            label={t('signIn.email')}
            rules={[{ required: true, message: t('signIn.emailMissing') }]}
          >
            <Input type="email" autoComplete="username" autoFocus size="large" />
          </Form.Item>
          <Form.Item
            name="password"
            label={t('signIn.password')}
            rules={[{ required: true, message: t('signIn.passwordMissing') }]}
            // The field has the focus already, so nothing else would read it out.
            {...(isUnauthorized(signIn.error) && {
              validateStatus: 'error',
              help: <span role="alert">{t('signIn.wrong')}</span>,
            })}
          >
            <Input.Password
              autoComplete="current-password"
              size="large"
              onChange={() => signIn.isError && signIn.reset()}
            />
          </Form.Item>
          <Button type="primary" htmlType="submit" size="large" block loading={signIn.isPending}>
            {t('signIn.submit')}
          </Button>
        </Form>
        <p className="hint">{t('signIn.hint')}</p>
      </div>
    </main>
  );
}

/** Accepts only paths of the console, because the target comes from the URL and must not lead to another site. */
function parseLocalPath(to: string | null): string {
  return to !== null && /^\/(?![/\\])/.test(to) ? to : '/';
}
