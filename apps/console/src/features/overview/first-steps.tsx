import { CheckCircleFilled } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { useIsAdmin } from '../auth/session.ts';

const SampleShopOffer = lazyPart(() =>
  import('../applications/sample-shop-offer.tsx').then((module) => ({ default: module.SampleShopOffer })),
);

/** What to do first in a new space. Shown until everything is done. */
export function FirstSteps() {
  const isAdmin = useIsAdmin();
  return isAdmin ? <AdminSteps /> : null;
}

function AdminSteps() {
  const { t } = useTranslation();
  const agents = useQuery({
    queryKey: [...keys.agents, 'any'],
    queryFn: () => client.agents.list({ limit: 1 }),
  });
  const applications = useQuery({
    queryKey: [...keys.applications, 'any'],
    queryFn: () => client.applications.list({ limit: 1 }),
  });
  const envelopes = useQuery({
    queryKey: [...keys.envelopes, 'any'],
    queryFn: () => client.events.envelopes({ limit: 1 }),
  });
  const steps = [
    { name: 'agent', list: agents.data, to: paths.newAgent },
    { name: 'application', list: applications.data, to: `${paths.applications}?install=open` },
    { name: 'event', list: envelopes.data, to: paths.catalog },
  ] as const;
  const isKnown = steps.every(({ list }) => list !== undefined);
  if (!isKnown || steps.every(({ list }) => (list?.items.length ?? 0) > 0)) return null;

  return (
    <section className="card" aria-label={t('firstSteps.title')}>
      <header className="card-head">
        <h2>{t('firstSteps.title')}</h2>
      </header>
      <ol className="card-body first-steps">
        {steps.map(({ name, list, to }, i) => {
          const isDone = (list?.items.length ?? 0) > 0;
          return (
            <li key={name} className={isDone ? 'done' : undefined}>
              <span className="step-mark" aria-hidden>
                {isDone ? <CheckCircleFilled /> : i + 1}
              </span>
              <span className="grow">
                <strong>{t(`firstSteps.${name}`)}</strong>
                {isDone && <span className="visually-hidden"> ({t('common.done')})</span>}
                <span className="muted">{t(`firstSteps.${name}Text`)}</span>
              </span>
              {!isDone && <Link to={to}>{t(`firstSteps.${name}Link`)}</Link>}
            </li>
          );
        })}
      </ol>
      <footer className="row wrap first-steps-sample">
        <span className="muted grow">{t('sampleShop.hint')}</span>
        <Suspense>
          <SampleShopOffer />
        </Suspense>
      </footer>
    </section>
  );
}
