import { PlusOutlined } from '@ant-design/icons';
import { OFFLINE_MODEL, type Model } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useList } from '../../ui/lists/use-list.ts';
import { useIsAdmin } from '../auth/session.ts';
import { ModelTest } from './model-test.tsx';

const ModelDrawer = lazyPart(() =>
  import('./model-drawer.tsx').then((module) => ({ default: module.ModelDrawer })),
);

export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const confirmDelete = useConfirmDelete();
  const [edited, edit, close] = useDrawerParam('model');
  const list = useList<Model>(keys.models, (page) => client.models.list(page));
  const editedModel = list.items.find((model) => model.id === edited && !isBuiltIn(model)) ?? null;

  const remove = (model: Model) =>
    confirmDelete({
      title: t('models.deleteTitle', { name: model.name }),
      text: t('models.deleteText'),
      run: async () => {
        await client.models.delete(model.id);
        await queryClient.invalidateQueries({ queryKey: keys.models });
      },
    });

  const columns = useModelColumns({ isAdmin, onEdit: edit, onDelete: remove });

  const create = isAdmin && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => edit('new')}>
      {t('models.create')}
    </Button>
  );

  return (
    <Page title={t('models.title')} description={t('models.description')} actions={create}>
      <DataList
        label={t('models.title')}
        list={list}
        columns={columns}
        rowKey={(model) => model.id}
        onRowClick={isAdmin ? (model) => !isBuiltIn(model) && edit(model.id) : undefined}
        empty={
          <EmptyState title={t('models.none')} text={t('models.noneText')}>
            {create}
          </EmptyState>
        }
      />
      {isAdmin && (edited === 'new' || editedModel !== null) && (
        <Suspense>
          <ModelDrawer key={edited} model={editedModel} onClose={close} />
        </Suspense>
      )}
    </Page>
  );
}

interface ModelColumnsOptions {
  isAdmin: boolean;
  onEdit: (modelId: string) => void;
  onDelete: (model: Model) => void;
}

function useModelColumns({ isAdmin, onEdit, onDelete }: ModelColumnsOptions): Column<Model>[] {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  return [
    {
      key: 'name',
      title: t('models.model'),
      sortBy: ({ name }) => name,
      render: (model) => (
        <>
          {isAdmin && !isBuiltIn(model) ? (
            <button type="button" className="link-button primary-link mono" onClick={() => onEdit(model.id)}>
              {model.name}
            </button>
          ) : (
            <span className="mono primary-link">{model.name}</span>
          )}
          <div className="muted truncate">
            {isBuiltIn(model) ? t('models.offlineText') : (model.baseUrl ?? '')}
          </div>
        </>
      ),
    },
    {
      key: 'context',
      title: t('models.contextWindow'),
      width: 150,
      sortBy: ({ contextWindow }) => contextWindow,
      descendingFirst: true,
      render: (model) =>
        t('models.tokens', { count: model.contextWindow, formatted: number.format(model.contextWindow) }),
    },
    {
      key: 'price',
      title: t('models.price'),
      width: 190,
      sortBy: ({ price }) => price.outputPerMillion ?? 0,
      render: (model) => <Price model={model} />,
    },
    {
      key: 'status',
      title: t('models.status'),
      width: 190,
      render: (model) => (isAdmin ? <ModelTest model={model} /> : <KeyBadge model={model} />),
    },
    {
      key: 'actions',
      title: '',
      width: 130,
      render: (model) =>
        isAdmin &&
        !isBuiltIn(model) && (
          <>
            <Button
              size="small"
              type="text"
              onClick={() => onEdit(model.id)}
              aria-label={t('models.editNamed', { name: model.name })}
            >
              {t('common.edit')}
            </Button>
            <Button
              size="small"
              type="text"
              danger
              onClick={() => onDelete(model)}
              aria-label={t('common.deleteNamed', { name: model.name })}
            >
              {t('common.delete')}
            </Button>
          </>
        ),
    },
  ];
}

/** The platform has made the model itself. It cannot be changed. */
const isBuiltIn = ({ name }: Model): boolean => name === OFFLINE_MODEL;

function Price({ model: { price } }: { model: Model }) {
  const { t, i18n } = useTranslation();
  if (price.inputPerMillion === null && price.outputPerMillion === null)
    return <span className="muted">{t('models.noPrice')}</span>;
  const format = new Intl.NumberFormat(i18n.language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 4,
  });
  return t('models.priceLine', {
    input: format.format(price.inputPerMillion ?? 0),
    output: format.format(price.outputPerMillion ?? 0),
  });
}

function KeyBadge({ model }: { model: Model }) {
  const { t } = useTranslation();
  const ready = isBuiltIn(model) || model.apiKeyConfigured;
  return (
    <span className={`badge ${ready ? 'success' : 'warning'}`}>
      {t(ready ? 'models.ready' : 'models.noKey')}
    </span>
  );
}
