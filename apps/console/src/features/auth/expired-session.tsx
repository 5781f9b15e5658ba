import type { SignInResponse } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Button, Form, Input, Modal } from 'antd';
import { useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { client, setSession } from '../../api.ts';
import { useExpiry } from '../../ui/browser/expiry.ts';
import { abandonPage } from '../../ui/browser/unsaved-input.ts';
import { getErrorMessage, isUnauthorized } from '../../ui/layout/errors.ts';
import { useSession } from './session.ts';
import './sign-in.css';

/** Signs the user in again over the page, which keeps what was entered. */
export function ExpiredSession() {
  const { t } = useTranslation();
  const expiry = useExpiry();
  const former = useSession();
  const [form] = Form.useForm<{ password: string }>();

  const goOn = useCallback(
    (session: SignInResponse) => {
      // The page shows the data of another person or space: nothing of it may stay, and nothing that waits may be sent there.
      const isSame = session.user.id === former.user.id && session.space.id === former.space.id;
      if (!isSame) abandonPage();
      setSession(session);
      expiry?.resume(isSame ? session.accessToken : null);
    },
    [expiry, former],
  );

  const signIn = useMutation({
    mutationFn: async ({ password }: { password: string }) => {
      const session = await client.auth.login({ email: former.user.email, password });
      const isMember = session.spaces.some(({ id }) => id === former.space.id);
      if (session.space.id === former.space.id || !isMember) return session;
      return client.auth.refresh({ spaceId: former.space.id });
    },
    onSuccess: goOn,
    onError: () => form.focusField('password'),
  });

  // The user may have signed in again in another tab.
  useEffect(() => {
    if (expiry === null) return undefined;
    const look = () => {
      client.auth.refresh({ spaceId: former.space.id }).then(goOn, () => undefined);
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [expiry, former, goOn]);

  return (
    <Modal
      open={expiry !== null}
      title={t('expired.title')}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      footer={null}
      width={420}
      zIndex={1200}
      destroyOnHidden
      afterOpenChange={(opened) => opened && form.focusField('password')}
    >
      <p>{t('expired.text')}</p>
      {expiry !== null && expiry.reason !== '' && <p className="muted expired-reason">{expiry.reason}</p>}
      <Form form={form} layout="vertical" requiredMark={false} onFinish={(values) => signIn.mutate(values)}>
        <Form.Item label={t('signIn.email')} htmlFor="expired-email">
          <Input id="expired-email" type="email" autoComplete="username" value={former.user.email} readOnly />
        </Form.Item>
        <Form.Item
          name="password"
          label={t('signIn.password')}
          rules={[{ required: true, message: t('signIn.passwordMissing') }]}
          {...(signIn.error !== null && {
            validateStatus: 'error',
            // The field has the focus already, so nothing else would read it out.
            help: (
              <span role="alert">
                {isUnauthorized(signIn.error) ? t('signIn.wrong') : getErrorMessage(signIn.error, t)}
              </span>
            ),
          })}
        >
          <Input.Password autoComplete="current-password" onChange={() => signIn.reset()} />
        </Form.Item>
        <div className="row">
          <Button type="primary" htmlType="submit" loading={signIn.isPending}>
            {t('signIn.submit')}
          </Button>
          <Button type="text" onClick={() => setSession(null)}>
            {t('expired.other')}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}
