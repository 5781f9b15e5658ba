import { KNOWLEDGE_SOURCE_KINDS, type KnowledgeSource, type KnowledgeSourceKind } from '@platform/contracts';
import { Checkbox, Form, Input, Radio, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { useScheduleName } from './source-status.tsx';

/** Hours; 0: on demand only. */
const SCHEDULES = [0, 1, 6, 24, 168, 720];
const MAX_URL_CHARS = 2_048;

const reload = () => queryClient.invalidateQueries({ queryKey: keys.knowledge });

interface SourceForm {
  url: string;
  kind: KnowledgeSourceKind;
  hours: number;
}

/** Adds a page, or the pages of a sitemap. */
export function SourceDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const required = [{ required: true, whitespace: true, message: t('common.required') }];
  return (
    <DialogForm<SourceForm, unknown>
      title={t('knowledge.sources.add')}
      submitText={t('knowledge.add')}
      fields={['url', 'kind', 'hours']}
      initialValues={{ kind: 'url', hours: 24 }}
      width={560}
      save={({ url, kind, hours }) =>
        client.knowledge.createSource({ url: url.trim(), kind, everyHours: hours === 0 ? null : hours })
      }
      onSaved={async () => {
        await reload();
        onClose();
      }}
      onClose={onClose}
    >
      <Form.Item name="url" label={t('knowledge.sources.address')} rules={required}>
        <Input maxLength={MAX_URL_CHARS} placeholder="https://docs.example.com/sitemap.xml" />
      </Form.Item>
      <Form.Item name="kind" label={t('knowledge.sources.kind')} extra={t('knowledge.sources.kindHint')}>
        <Radio.Group
          options={KNOWLEDGE_SOURCE_KINDS.map((kind) => ({
            value: kind,
            label: t(`knowledge.sources.kinds.${kind}`),
          }))}
        />
      </Form.Item>
      <ScheduleField />
    </DialogForm>
  );
}

/** Changes when a source is fetched. */
export function ScheduleDialog({ source, onClose }: { source: KnowledgeSource; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <DialogForm<{ hours: number; enabled: boolean }, unknown>
      title={t('knowledge.sources.schedule')}
      submitText={t('common.save')}
      fields={['hours', 'enabled']}
      initialValues={{ hours: source.everyHours ?? 0, enabled: source.enabled }}
      save={({ hours, enabled }) =>
        client.knowledge.updateSource(source.id, { everyHours: hours === 0 ? null : hours, enabled })
      }
      onSaved={async () => {
        await reload();
        onClose();
      }}
      onClose={onClose}
    >
      <ScheduleField current={source.everyHours} />
      <Form.Item name="enabled" valuePropName="checked" extra={t('knowledge.sources.enabledHint')}>
        <Checkbox>{t('knowledge.sources.enabled')}</Checkbox>
      </Form.Item>
    </DialogForm>
  );
}

/** Asks what becomes of the documents. */
export function DeleteSourceDialog({ source, onClose }: { source: KnowledgeSource; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <DialogForm<{ documents: 'delete' | 'keep' }, unknown>
      title={t('knowledge.sources.deleteTitle')}
      submitText={t('common.delete')}
      fields={['documents']}
      initialValues={{ documents: 'delete' }}
      save={({ documents }) => client.knowledge.deleteSource(source.id, { documents })}
      onSaved={async () => {
        await reload();
        onClose();
      }}
      onClose={onClose}
    >
      <p className="source-address">{source.url}</p>
      <Form.Item name="documents" label={t('knowledge.sources.itsDocuments', { count: source.documents })}>
        <Radio.Group
          options={(['delete', 'keep'] as const).map((value) => ({
            value,
            label: t(`knowledge.sources.deletions.${value}`),
          }))}
        />
      </Form.Item>
    </DialogForm>
  );
}

function ScheduleField({ current = null }: { current?: number | null }) {
  const { t } = useTranslation();
  const scheduleName = useScheduleName();
  const hours = current === null || SCHEDULES.includes(current) ? SCHEDULES : [...SCHEDULES, current];
  return (
    <Form.Item name="hours" label={t('knowledge.sources.schedule')}>
      <Select options={hours.map((value) => ({ value, label: scheduleName(value === 0 ? null : value) }))} />
    </Form.Item>
  );
}
