import type { JsonSchema } from '@platform/contracts';
import { Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { JsonView } from '../../../ui/code/json-view.tsx';
import { listFields } from './schema.ts';
import './schema-view.css';

/** The fields of a payload, or the schema itself. */
export function SchemaView({ schema, label }: { schema: JsonSchema; label: string }) {
  const { t } = useTranslation();
  const fields = listFields(schema);
  const [view, setView] = useState<'fields' | 'schema'>(fields.length === 0 ? 'schema' : 'fields');
  return (
    <div className="stack">
      <Segmented<'fields' | 'schema'>
        size="small"
        aria-label={label}
        value={view}
        onChange={setView}
        options={[
          { value: 'fields', label: t('schema.fields') },
          { value: 'schema', label: t('schema.json') },
        ]}
        className="self-start"
      />
      {view === 'schema' ? (
        <JsonView value={schema} label={label} />
      ) : fields.length === 0 ? (
        <p className="muted">{t('schema.noFields')}</p>
      ) : (
        <ul className="schema-fields" aria-label={label}>
          {fields.map(({ path, depth, type, required, description, rules }) => (
            <li key={path} style={{ paddingInlineStart: depth * 18 }}>
              <div className="row wrap">
                <code className="schema-name">{path}</code>
                <span className="muted">{type}</span>
                {required && <span className="badge plain">{t('schema.required')}</span>}
                {rules.map((rule) => (
                  <code key={rule} className="muted">
                    {rule}
                  </code>
                ))}
              </div>
              {description !== '' && <p className="muted">{description}</p>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
