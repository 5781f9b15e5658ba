import { UnorderedListOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ListedModels } from './use-available-models.ts';

/** Asks the server for its models, and says what came of it. */
export function ListModels({ available }: { available: ListedModels }) {
  const { t, i18n } = useTranslation();
  const { result, isPending, list } = available;
  const count = result?.names.length ?? 0;
  const formatted = new Intl.NumberFormat(i18n.language).format(count);
  return (
    <div className="row wrap list-models" aria-live="polite">
      <Button icon={<UnorderedListOutlined aria-hidden />} loading={isPending} onClick={list}>
        {t('models.list')}
      </Button>
      {result?.ok === true && count > 0 && (
        <small className="muted">
          {t(result.isComplete ? 'models.listed' : 'models.listedPart', { count, formatted })}
        </small>
      )}
      {result?.ok === true && count === 0 && <small className="warning-text">{t('models.listedNone')}</small>}
      {result?.ok === false && (
        <small className="warning-text">
          {result.message} {t('models.listFailed')}
        </small>
      )}
    </div>
  );
}
