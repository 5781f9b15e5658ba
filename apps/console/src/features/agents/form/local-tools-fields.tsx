import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Collapse, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { isSchemaText, NEW_LOCAL_TOOL, type AgentForm } from './agent-values.ts';

/** Tools that the calling program runs. The agent only declares them. */
export function LocalToolsFields() {
  const { t } = useTranslation();
  const declared = Form.useWatch<AgentForm['localTools'] | undefined>('localTools') ?? [];
  return (
    <Collapse
      ghost
      className="settings-collapse"
      items={[
        {
          key: 'local',
          label:
            declared.length === 0
              ? t('localTools.title')
              : t('localTools.titleCount', { count: declared.length }),
          forceRender: true,
          children: (
            <Form.List name="localTools">
              {(tools, { add, remove }) => (
                <div className="stack">
                  <p className="muted">{t('localTools.text')}</p>
                  {tools.map(({ key, name: index }) => (
                    <LocalTool key={key} index={index} onRemove={() => remove(index)} />
                  ))}
                  <div>
                    <Button icon={<PlusOutlined aria-hidden />} onClick={() => add(NEW_LOCAL_TOOL)}>
                      {t('localTools.add')}
                    </Button>
                  </div>
                </div>
              )}
            </Form.List>
          ),
        },
      ]}
    />
  );
}

function LocalTool({ index, onRemove }: { index: number; onRemove: () => void }) {
  const { t } = useTranslation();
  const name = Form.useWatch<string | undefined>(['localTools', index, 'name']) ?? '';
  return (
    <fieldset className="local-tool">
      <legend className="visually-hidden">{t('localTools.number', { number: index + 1 })}</legend>
      <Button
        className="remove"
        type="text"
        size="small"
        icon={<DeleteOutlined aria-hidden />}
        aria-label={t('localTools.remove', { name: name || index + 1 })}
        onClick={onRemove}
      />
      <Form.Item
        name={[index, 'name']}
        label={t('common.name')}
        rules={[
          { required: true, message: t('common.required') },
          { pattern: /^[A-Za-z0-9_-]{1,64}$/, message: t('localTools.nameRule') },
        ]}
      >
        <Input className="mono" placeholder="open_door" />
      </Form.Item>
      <Form.Item name={[index, 'description']} label={t('common.description')}>
        <Input placeholder={t('localTools.descriptionPlaceholder')} />
      </Form.Item>
      <Form.Item
        name={[index, 'inputSchema']}
        label={t('localTools.schema')}
        rules={[
          {
            validator: (_, text: string) =>
              isSchemaText(text) ? Promise.resolve() : Promise.reject(new Error(t('localTools.schemaRule'))),
          },
        ]}
      >
        <Input.TextArea className="mono" autoSize={{ minRows: 4, maxRows: 20 }} spellCheck={false} />
      </Form.Item>
    </fieldset>
  );
}
