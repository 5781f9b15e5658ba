import { OFFLINE_MODEL } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { AutoComplete, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { chatModelsQuery } from '../../models/models-query.ts';

/** Accepts any name, with a warning if the model catalog does not contain it. */
export function ModelField() {
  const { t } = useTranslation();
  const models = useQuery(chatModelsQuery);
  const model = Form.useWatch<string | undefined>('model') ?? '';
  const known = models.data?.map(({ name }) => name) ?? [];
  const unknown = model !== '' && models.isSuccess && !known.includes(model);

  return (
    <Form.Item
      name="model"
      label={t('agents.model')}
      rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      extra={
        unknown ? (
          <span className="hint-warning">
            {t(known.length === 1 ? 'agentForm.modelStandIn' : 'agentForm.modelUnknown')}{' '}
            <Link to={paths.models}>{t('agentForm.openModels')}</Link>
          </span>
        ) : (
          model === OFFLINE_MODEL && t('agentForm.modelOffline')
        )
      }
    >
      <AutoComplete
        className="mono"
        options={known.map((name) => ({ value: name }))}
        showSearch={{
          filterOption: (typed, option) => known.includes(typed) || (option?.value ?? '').includes(typed),
        }}
        placeholder={t('agentForm.modelPlaceholder')}
      />
    </Form.Item>
  );
}
