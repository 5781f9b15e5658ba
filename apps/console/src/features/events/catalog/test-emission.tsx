import type { CatalogEvent, EnvelopeStatus } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, Button, Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { CodeField } from '../../../ui/code/code-field.tsx';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { getProblems } from '../../../ui/layout/errors.ts';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { getNumberProblem, parseJsonObject } from '../../../ui/code/parse-json.ts';
import { envelopeQuery } from '../log/envelope-query.ts';
import { EnvelopeStatusBadge } from '../log/envelope-status.tsx';
import { Generations } from '../log/generations.tsx';
import { createSample } from './schema.ts';

interface TestEmissionProps {
  applicationIdentifier: string;
  event: CatalogEvent;
  onClose: () => void;
}

/** Emits one event with a payload that can be edited. Its subscriptions fire. */
export function TestEmission({ applicationIdentifier, event, onClose }: TestEmissionProps) {
  const { t } = useTranslation();
  const [sample] = useState(() => formatJson(createSample(event.payloadSchema)));
  const [text, setText] = useState(sample);
  const [sent, setSent] = useState(sample);
  const { close } = useGuardedClose(() => text !== sample && text !== sent, onClose);
  const payload = parseJsonObject(text);
  const emit = useMutation({
    mutationFn: (value: Record<string, unknown>) =>
      client.events.emitTest(applicationIdentifier, event.name, { payload: value }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.envelopes }),
  });
  const send = () => {
    if (payload !== undefined) emit.mutate(payload, { onSuccess: () => setSent(text) });
  };

  return (
    <Drawer open onClose={close} size={620} title={t('catalog.emitTest')}>
      <div className="stack">
        <p className="muted">{t('emission.text', { event: event.name })}</p>
        <CodeField language="json" label={t('eventLog.payload')} value={text} onChange={setText} />
        {payload === undefined && (
          <p className="danger-text" role="status">
            {getNumberProblem(text, t) ?? t('emission.notAnObject')}
          </p>
        )}
        {emit.isError && (
          <div className="error-box" role="alert">
            <ul>
              {getProblems(emit.error, t).map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </div>
        )}
        {emit.data && <Outcome envelopeId={emit.data.envelopeId} status={emit.data.status} />}
        <div className="row drawer-buttons">
          <Button onClick={() => setText(sample)}>{t('emission.sample')}</Button>
          <Button type="primary" disabled={payload === undefined} loading={emit.isPending} onClick={send}>
            {t('emission.submit')}
          </Button>
        </div>
      </div>
    </Drawer>
  );
}

/** What becomes of the event: its status, and the verdict and the run of each subscription. */
function Outcome({ envelopeId, status }: { envelopeId: string; status: EnvelopeStatus }) {
  const { t } = useTranslation();
  const { data } = useQuery(envelopeQuery(envelopeId));
  return (
    <>
      <Alert
        type="success"
        role="status"
        title={
          <span className="row wrap">
            {t('emission.recorded')}
            <EnvelopeStatusBadge status={data?.status ?? status} />
            <Link to={paths.envelope(envelopeId)}>{t('emission.open')}</Link>
          </span>
        }
      />
      {data !== undefined && (
        <div className="envelope">
          <Generations envelopeId={envelopeId} generations={data.generations} />
        </div>
      )}
    </>
  );
}
