import { EditOutlined, PlayCircleOutlined } from '@ant-design/icons';
import type { Tool, ToolMethod } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { LongDataList, type Column } from '../../../ui/lists/data-list.tsx';
import { SearchField } from '../../../ui/lists/search-field.tsx';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { EmptyState } from '../../../ui/layout/states.tsx';
import { matchesSearch } from '../document/selection.ts';
import { toStaticList } from '../import/static-list.ts';

const ROW_HEIGHT = { wide: 58, narrow: 150 };

interface MethodsTableProps {
  tool: Tool;
  isEditable: boolean;
  onEdit: (name: string) => void;
  onTry: (name: string) => void;
}

export function MethodsTable({ tool, isEditable, onEdit, onTry }: MethodsTableProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const columns = useMethodColumns({ tool, isEditable, onEdit, onTry });

  return (
    <div className="stack">
      {tool.methods.length > 10 && (
        <SearchField label={t('toolPages.searchMethods')} value={search} onChange={setSearch} />
      )}
      <LongDataList
        label={t('toolPages.methods')}
        list={toStaticList(tool.methods)}
        items={tool.methods.filter((method) => matchesSearch(method, search))}
        columns={columns}
        rowKey={({ name }) => name}
        rowHeight={ROW_HEIGHT}
        empty={<EmptyState title={t('toolPages.noMethods')} />}
        noMatch={<EmptyState title={t('toolPages.noMatch')} />}
      />
    </div>
  );
}

function useMethodColumns({ tool, isEditable, onEdit, onTry }: MethodsTableProps): Column<ToolMethod>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('toolPages.method'),
      render: ({ name, deprecated, description, pending }) => (
        <>
          <span className="mono">{name}</span>{' '}
          {deprecated && <span className="badge warning">{t('toolPages.deprecated')}</span>}{' '}
          {pending !== null && (
            <span className="badge danger" title={t('toolMcp.changedText')}>
              {t('toolMcp.blocked')}
            </span>
          )}
          <p className="method-summary" title={description}>
            {description}
          </p>
        </>
      ),
    },
    {
      key: 'path',
      title: t(tool.kind === 'mcp' ? 'toolMcp.serverName' : 'toolPages.path'),
      render: ({ httpMethod, path, operationKey }) =>
        tool.kind === 'mcp' ? (
          <span className="mono">{operationKey}</span>
        ) : (
          <>
            <span className="method-verb">{httpMethod}</span> <span className="mono">{path}</span>
          </>
        ),
    },
    {
      key: 'enabled',
      title: t('toolPages.enabled'),
      width: 90,
      render: (method) => <EnabledSwitch tool={tool} method={method} isEditable={isEditable} />,
    },
    {
      key: 'actions',
      title: '',
      width: 100,
      render: ({ name }) => (
        <>
          <Button
            type="text"
            size="small"
            icon={<PlayCircleOutlined aria-hidden />}
            aria-label={t('toolPages.tryNamed', { name })}
            title={t('toolPages.try')}
            onClick={() => onTry(name)}
          />
          {isEditable && (
            <Button
              type="text"
              size="small"
              icon={<EditOutlined aria-hidden />}
              aria-label={t('toolPages.editNamed', { name })}
              title={t('common.edit')}
              onClick={() => onEdit(name)}
            />
          )}
        </>
      ),
    },
  ];
}

interface EnabledSwitchProps {
  tool: Tool;
  method: ToolMethod;
  isEditable: boolean;
}

function EnabledSwitch({ tool, method, isEditable }: EnabledSwitchProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const toggle = useMutation({
    mutationFn: (enabled: boolean) => client.tools.updateMethod(tool.id, method.name, { enabled }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.tool(tool.id) }),
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  return (
    <Switch
      size="small"
      aria-label={t('toolPages.enableNamed', { name: method.name })}
      checked={method.enabled}
      disabled={!isEditable}
      loading={toggle.isPending}
      onChange={(enabled) => toggle.mutate(enabled)}
    />
  );
}
