import { OFFLINE_MODEL, type KnowledgeSettings, type ModelKind } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { App, Checkbox, Form, InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { modelsQuery } from '../models/models-query.ts';

/** Cleared selections are absent. */
interface SettingsForm {
  embeddingModel?: string | null;
  embeddingDimensions?: number | null;
  rebuild?: boolean;
  rerankModel?: string | null;
  rewritesQuestions?: boolean;
}

/** Chooses the models for the search of documents. */
export function SearchSettingsDialog({
  settings,
  onClose,
}: {
  settings: KnowledgeSettings;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { embedding, rerankModel, rewritesQuestions } = settings;
  return (
    <DialogForm
      title={t('knowledge.settings.title')}
      submitText={t('common.save')}
      fields={['embeddingModel', 'embeddingDimensions', 'rebuild', 'rerankModel', 'rewritesQuestions']}
      initialValues={{
        embeddingModel: embedding?.model ?? null,
        embeddingDimensions: embedding?.askedDimensions ?? null,
        rebuild: false,
        rerankModel,
        rewritesQuestions,
      }}
      save={({ embeddingModel = null, embeddingDimensions = null, rebuild, ...rest }: SettingsForm) =>
        client.knowledge.updateSettings({
          embeddingModel,
          ...(embeddingModel !== null && { embeddingDimensions, rebuild: rebuild ?? false }),
          rerankModel: rest.rerankModel ?? null,
          rewritesQuestions: rest.rewritesQuestions ?? false,
        })
      }
      onSaved={async () => {
        await queryClient.invalidateQueries({ queryKey: keys.knowledge });
        void message.success(t('knowledge.settings.saved'));
        onClose();
      }}
      onClose={onClose}
    >
      <SettingsFields canRebuild={embedding !== null} />
    </DialogForm>
  );
}

function SettingsFields({ canRebuild }: { canRebuild: boolean }) {
  const { t } = useTranslation();
  const models = useQuery(modelsQuery);
  const optionsFor = (kind: ModelKind) =>
    (models.data ?? [])
      .filter((model) => model.kind === kind || model.name === OFFLINE_MODEL)
      .map(({ name }) => ({ value: name, label: name }));
  const select = (kind: ModelKind) => (
    <Select
      allowClear
      loading={models.isPending}
      placeholder={t('knowledge.settings.none')}
      options={optionsFor(kind)}
    />
  );
  return (
    <>
      <Form.Item
        name="embeddingModel"
        label={t('knowledge.settings.embeddingModel')}
        extra={t('knowledge.settings.embeddingHint')}
      >
        {select('embedding')}
      </Form.Item>
      <Form.Item
        name="embeddingDimensions"
        label={t('knowledge.settings.dimensions')}
        extra={t('knowledge.settings.dimensionsHint')}
      >
        <InputNumber min={1} max={8_192} precision={0} style={{ width: '100%' }} />
      </Form.Item>
      {canRebuild && (
        <Form.Item name="rebuild" valuePropName="checked">
          <Checkbox>{t('knowledge.settings.rebuild')}</Checkbox>
        </Form.Item>
      )}
      <Form.Item
        name="rerankModel"
        label={t('knowledge.settings.rerankModel')}
        extra={t('knowledge.settings.rerankHint')}
      >
        {select('rerank')}
      </Form.Item>
      <Form.Item
        name="rewritesQuestions"
        valuePropName="checked"
        extra={t('knowledge.settings.rewritingHint')}
      >
        <Checkbox>{t('knowledge.settings.rewriting')}</Checkbox>
      </Form.Item>
    </>
  );
}
