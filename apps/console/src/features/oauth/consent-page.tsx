import { PlatformError } from '@platform/client';
import type { OAuthAuthorization, OAuthScope } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button, Checkbox } from 'antd';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { useDocumentTitle } from '../../ui/layout/page.tsx';
import { PageSpinner } from '../../ui/layout/states.tsx';
import '../auth/sign-in.css';
import { SignOutButton } from '../auth/sign-out-button.tsx';
import { SignedIn } from '../auth/signed-in.tsx';
import { Logo } from '../shell/logo.tsx';
import { ClientFacts } from './client-facts.tsx';
import './consent.css';

/** Where clients send people: asks whether the client may use a space. */
export function Component() {
  const { t } = useTranslation();
  const { search } = useLocation();
  useDocumentTitle(t('consent.title'));
  return <SignedIn>{({ user }) => <Consent query={search.slice(1)} email={user.email} />}</SignedIn>;
}

function Consent({ query, email }: { query: string; email: string }) {
  const { t } = useTranslation();
  const asked = useQuery({
    queryKey: [...keys.consent(query), email],
    queryFn: () => client.oauth.preview(query),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (asked.isPending) return <PageSpinner />;
  if (asked.data === undefined)
    return (
      <Box title={t('consent.failed')}>
        <p className="error-box" role="alert">
          {getErrorMessage(asked.error, t)}
        </p>
        {asked.error instanceof PlatformError && asked.error.status < 500 ? (
          <p className="muted consent-text">{t('consent.startAgain')}</p>
        ) : (
          <Button onClick={() => void asked.refetch()}>{t('common.tryAgain')}</Button>
        )}
        <Account email={email} />
      </Box>
    );
  return asked.data.request === null || asked.data.space === null ? (
    <Refused asked={asked.data} email={email} />
  ) : (
    <Question asked={asked.data} request={asked.data.request} space={asked.data.space.name} email={email} />
  );
}

/** Tells of a problem that the client can be told of. The person decides whether to go there. */
function Refused({ asked, email }: { asked: OAuthAuthorization; email: string }) {
  const { t } = useTranslation();
  const { client: asking, problem, returnTo } = asked;
  return (
    <Box title={t('consent.failed')}>
      <p className="error-box" role="alert">
        {t('consent.problem', { problem })}
      </p>
      <ClientFacts client={asking} />
      {returnTo !== null && (
        <Button size="large" block onClick={() => window.location.assign(returnTo)}>
          {t('consent.return', { client: asking.name })}
        </Button>
      )}
      <Account email={email} />
    </Box>
  );
}

interface QuestionProps {
  asked: OAuthAuthorization;
  request: string;
  space: string;
  email: string;
}

function Question({ asked, request, space, email }: QuestionProps) {
  const { t } = useTranslation();
  const [scopes, setScopes] = useState<OAuthScope[]>(asked.scopes);
  const answer = useMutation({
    mutationFn: (allow: boolean) => client.oauth.answer({ request, allow, ...(allow && { scopes }) }),
    // The service returns only addresses that the client has registered, and no scripts.
    onSuccess: ({ redirectTo }) => window.location.assign(redirectTo),
  });
  const name = asked.client.name;
  if (answer.isSuccess)
    return (
      <Box title={t('consent.done')}>
        <p className="muted consent-text" role="status">
          {t('consent.doneText', { client: name })}
        </p>
        <Link to={paths.overview}>{t('consent.home')}</Link>
      </Box>
    );
  return (
    <Box title={t('consent.heading', { client: name, space })}>
      <ClientFacts client={asked.client} />
      <Scopes asked={asked.scopes} chosen={scopes} onChange={setScopes} />
      {answer.error !== null && (
        <p className="error-box" role="alert">
          {getErrorMessage(answer.error, t)}
        </p>
      )}
      <div className="consent-actions">
        <Button size="large" disabled={answer.isPending} onClick={() => answer.mutate(false)}>
          {t('consent.deny')}
        </Button>
        <Button
          type="primary"
          size="large"
          loading={answer.isPending}
          disabled={scopes.length === 0}
          onClick={() => answer.mutate(true)}
        >
          {t('consent.allow')}
        </Button>
      </div>
      <Account email={email} hint={t('consent.hint')} />
    </Box>
  );
}

interface ScopesProps {
  asked: OAuthScope[];
  chosen: OAuthScope[];
  onChange: (scopes: OAuthScope[]) => void;
}

function Scopes({ asked, chosen, onChange }: ScopesProps) {
  const { t } = useTranslation();
  return (
    <div className="consent-scopes">
      <p id="consent-may">{t('consent.may')}</p>
      <Checkbox.Group value={chosen} onChange={onChange} aria-labelledby="consent-may">
        {asked.map((scope) => (
          <Checkbox key={scope} value={scope}>
            {t(`consent.scope.${scope}`)}
            <div className="muted">{t(`consent.scopeText.${scope}`)}</div>
          </Checkbox>
        ))}
      </Checkbox.Group>
      {chosen.length === 0 && <p className="hint-warning">{t('consent.chooseScope')}</p>}
    </div>
  );
}

function Box({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="sign-in">
      <div className="sign-in-box consent">
        <Logo size={36} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** Who is signed in, and a way to be someone else: the page then asks to sign in, and comes back. */
function Account({ email, hint }: { email: string; hint?: string }) {
  const { t } = useTranslation();
  return (
    <div className="hint">
      {t('consent.as', { email })} <SignOutButton label={t('consent.switch')} />
      {hint !== undefined && <span className="consent-hint">{hint}</span>}
    </div>
  );
}
