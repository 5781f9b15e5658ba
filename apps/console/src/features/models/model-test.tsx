import { ThunderboltOutlined } from '@ant-design/icons';
import type { Model } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';

/** Calls the model once and shows the time to the first token, or the error. */
export function ModelTest({ model }: { model: Model }) {
  const { t } = useTranslation();
  const test = useMutation({ mutationFn: () => client.models.test(model.id) });
  const result = test.isError
    ? { ok: false, latencyMs: null, message: getErrorMessage(test.error, t) }
    : test.data;
  return (
    <div className="row wrap" aria-live="polite">
      <Button
        size="small"
        icon={<ThunderboltOutlined aria-hidden />}
        loading={test.isPending}
        onClick={() => test.mutate()}
        aria-label={t('models.testNamed', { name: model.name })}
      >
        {t('models.test')}
      </Button>
      {result?.ok && (
        <span className="badge success">
          {result.latencyMs === null
            ? t('models.works')
            : t('models.latency', { ms: Math.round(result.latencyMs) })}
        </span>
      )}
      {result && !result.ok && <small className="danger-text">{result.message}</small>}
    </div>
  );
}
